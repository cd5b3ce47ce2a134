package a
p if { not q }
# column 1: recursion error: rule data.a.p is recursive: data.a.p -> data.a.q -> data.a.r -> data.a.p
q if { every x in [1] { x == r } }
# column 1: recursion error: rule data.a.q is recursive: data.a.q -> data.a.r -> data.a.p -> data.a.q
r := [x | x := p]
# column 1: recursion error: rule data.a.r is recursive: data.a.r -> data.a.p -> data.a.q -> data.a.r
