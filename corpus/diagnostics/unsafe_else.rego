package a
p := y if { x := 1 } else := z if { w > 1 } else := x if { x = 1 }
#    ^ unsafe-var error: var y is unsafe
#                            ^ unsafe-var error: var z is unsafe
f(x) := x if { y = 1 } else := y if { true }
#                              ^ unsafe-var error: var y is unsafe
