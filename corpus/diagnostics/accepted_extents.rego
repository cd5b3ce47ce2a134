package a
p.q[x] := 1 if { x := 1 }
p.q.r := 1
p[x].q := 1 if { x := 1 }
p.s contains 1
