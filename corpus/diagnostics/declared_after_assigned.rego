package a
p if { x := 2; some x; x > 1 }
#              ^ compile error: var x assigned above
