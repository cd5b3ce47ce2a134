package a
p if { every x in [1] { every y in [2] { x == y; z == 1 } } }
#                                                ^ unsafe-var error: var z is unsafe
q if { every x in [1] { y := x; y == z } }
#                               ^ unsafe-var error: var z is unsafe
r if { every k, v in data.a.q { k == v } }
