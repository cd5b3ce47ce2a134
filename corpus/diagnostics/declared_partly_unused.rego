package a
p if { some x, y; x = 1 }
#      ^ compile error: declared var y unused
