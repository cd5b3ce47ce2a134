package a
f(x) := y if { z := x }
#       ^ unsafe-var error: var y is unsafe
f2(x) := z if { y = x }
#        ^ unsafe-var error: var z is unsafe
g(x) if { x > y; h(y) }
h(x) := 1
