package a
p if { x = y; y = z }
#      ^ unsafe-var error: var x is unsafe
#      ^ unsafe-var error: var y is unsafe
#             ^ unsafe-var error: var z is unsafe
q if { [x, y] = [y, x] }
#      ^ unsafe-var error: var x is unsafe
#      ^ unsafe-var error: var y is unsafe
r if { {"a": x} = y }
#      ^ unsafe-var error: var x is unsafe
#      ^ unsafe-var error: var y is unsafe
s if { x = [y, z]; y = 1 }
#      ^ unsafe-var error: var x is unsafe
#      ^ unsafe-var error: var z is unsafe
t if { x = [y, z]; y = 1; z = 2; x > 1 }
