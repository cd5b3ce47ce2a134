package a
p if { f(x) == 1 }
#      ^ unsafe-var error: var x is unsafe
f(y) := y
q if { f(x, y) }
#      ^ unsafe-var error: var x is unsafe
#      ^ unsafe-var error: var y is unsafe
r if { f(1, y); y > x }
#               ^ unsafe-var error: var x is unsafe
