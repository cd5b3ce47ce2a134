package a
p if { x != y; y != x; z > x }
#      ^ unsafe-var error: var x is unsafe
#      ^ unsafe-var error: var y is unsafe
#                      ^ unsafe-var error: var z is unsafe
q if { x }
#      ^ unsafe-var error: var x is unsafe
