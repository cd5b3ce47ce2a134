package a
p if { data.a.q[x].z }
# column 1: recursion error: rule data.a.p is recursive: data.a.p -> data.a.q.b.z -> data.a.p
q.b.z if { p }
# column 1: recursion error: rule data.a.q.b.z is recursive: data.a.q.b.z -> data.a.p -> data.a.q.b.z
q.c.y if { p }
