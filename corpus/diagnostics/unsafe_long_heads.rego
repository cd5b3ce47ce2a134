package a
p.q.r[x].s[y] := z if { x := 1; y := 2 }
#                ^ unsafe-var error: var z is unsafe
p.q.t contains x if { y := 1 }
#              ^ unsafe-var error: var x is unsafe
