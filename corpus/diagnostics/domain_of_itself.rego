package a
p if { some x in x }
#      ^ compile error: var x assigned before
