package a
import rego.v2
p if { x > 1 and y > 2 }
#      ^ unsafe-var error: var x is unsafe
#      ^ unsafe-var error: var y is unsafe
q if { not (x > 1 and y = 2) }
#      ^ unsafe-var error: var x is unsafe
#      ^ unsafe-var error: var y is unsafe
r if { not { x = 1; x > y } }
#                   ^ unsafe-var error: var y is unsafe
s if { { x = input.a; x > 1 } or { y > 2 } }
#                                  ^ unsafe-var error: var y is unsafe
t if { input.x == x or input.y == y }
#      ^ unsafe-var error: var x is unsafe
#      ^ unsafe-var error: var y is unsafe
u if { x = 1 and x > 0 }
#      ^ unsafe-var error: var x is unsafe
