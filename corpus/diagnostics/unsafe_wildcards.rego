package a
p if { _ > 1 }
#      ^ unsafe-var error: var _ is unsafe
q if { x := input[_]; _ == x }
#                     ^ unsafe-var error: var _ is unsafe
r if { input[input[_]]; data.foo[x][y] == z }
#                       ^ unsafe-var error: var z is unsafe
