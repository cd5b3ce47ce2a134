package a
p if { q with input as p2 }
# column 1: recursion error: rule data.a.p is recursive: data.a.p -> data.a.p2 -> data.a.p
q if { input }
p2 if { p }
# column 1: recursion error: rule data.a.p2 is recursive: data.a.p2 -> data.a.p -> data.a.p2
s if { true with data.a.s as 1 }
# column 1: recursion error: rule data.a.s is recursive: data.a.s -> data.a.s
t if { f(1) with f as g }
# column 1: recursion error: rule data.a.t is recursive: data.a.t -> data.a.g -> data.a.t
f(x) := 1
g(x) := 2 if { t }
# column 1: recursion error: rule data.a.g is recursive: data.a.g -> data.a.t -> data.a.g
