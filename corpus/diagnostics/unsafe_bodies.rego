package a
p if { not q[x]; q := [] }
#                ^ compile error: var q referenced above
p2 if { x > 1 }
p3 if { y = x + 1 }
p4[x] := y if { z = 1 }
p5 contains x if { not x == 1 }
