package a
p if { some x }
#      ^ compile error: declared var x unused
