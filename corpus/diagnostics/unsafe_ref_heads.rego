package a
p.q[x].r := 1 if { y = 1 }
#   ^ unsafe-var error: var x is unsafe
p[x][y] contains z if { x = 1 }
#    ^ unsafe-var error: var y is unsafe
#                ^ unsafe-var error: var z is unsafe
q[input.x][y + 1] := 2 if { z = 1 }
