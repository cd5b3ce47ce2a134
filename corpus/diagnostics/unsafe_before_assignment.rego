package a
p if { x; y; x := 1; y := 2 }
#            ^ compile error: var x referenced above
#                    ^ compile error: var y referenced above
p2 if { a = b; f(a, b) }
f(x, y) := 1
