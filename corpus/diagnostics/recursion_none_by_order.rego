package a
p if { some x; data.a.q[x]; some y; data.a.q[y] == z; x < y }
#                                   ^ unsafe-var error: var z is unsafe
#                                                     ^ unsafe-var error: var y is unsafe
q contains 1
