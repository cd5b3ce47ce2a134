package a
p if { count = 1; y := count([1]); y > 0 }
#                      ^ compile error: called function count shadowed
