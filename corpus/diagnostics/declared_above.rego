package a
p if { some x; x := 2 }
#              ^ compile error: var x declared above
