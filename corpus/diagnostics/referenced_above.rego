package a
p if { x == 1; x := 2 }
#              ^ compile error: var x referenced above
