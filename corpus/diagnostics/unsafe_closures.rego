package a
p if { input[i] == x; y == [z | z = x; z = w] }
#      ^ unsafe-var error: var x is unsafe
q if { count([x | x = y], z); z > 1 }
#                 ^ unsafe-var error: var x is unsafe
#                 ^ unsafe-var error: var y is unsafe
