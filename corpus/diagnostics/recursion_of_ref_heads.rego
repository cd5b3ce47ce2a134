package a
p[x] := y if { x := input.z; y := data.a.p[x] }
# column 1: recursion error: rule data.a.p[x] is recursive: data.a.p[x] -> data.a.p[x]
q[x].r := 1 if { x := data.a.q[input.y].r }
# column 1: recursion error: rule data.a.q[x].r is recursive: data.a.q[x].r -> data.a.q[x].r
q2["r"] := 1 if { data.a.q2.z }
q2["z"] := 2
