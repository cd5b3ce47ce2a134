package a
import rego.v2
p if { p and true }
# column 1: recursion error: rule data.a.p is recursive: data.a.p -> data.a.p
q if { not { r } }
# column 1: recursion error: rule data.a.q is recursive: data.a.q -> data.a.r -> data.a.q
r if { q or true }
# column 1: recursion error: rule data.a.r is recursive: data.a.r -> data.a.q -> data.a.r
