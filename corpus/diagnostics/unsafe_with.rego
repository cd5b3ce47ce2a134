package a
p if { input.x with input.y as z }
#      ^ unsafe-var error: var z is unsafe
q if { input.x with data.foo as [x | x = w] }
#                                    ^ unsafe-var error: var w is unsafe
#                                    ^ unsafe-var error: var x is unsafe
r if { x = input.y with input.y as z; z = x }
#      ^ unsafe-var error: var x is unsafe
#      ^ unsafe-var error: var z is unsafe
