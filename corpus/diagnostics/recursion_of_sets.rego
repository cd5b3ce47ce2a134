package a
p contains x if { some x in data.a.q }
# column 1: recursion error: rule data.a.p is recursive: data.a.p -> data.a.q -> data.a.p
q contains x if { some x in data.a.p }
# column 1: recursion error: rule data.a.q is recursive: data.a.q -> data.a.p -> data.a.q
