package a
p contains y if { some x in [1] }
#          ^ unsafe-var error: var y is unsafe
p4 := [x, y] if { some x in [1] }
#         ^ unsafe-var error: var y is unsafe
f(x) := {x: y} if { true }
#           ^ unsafe-var error: var y is unsafe
p5 := {y | some x in [1]}
