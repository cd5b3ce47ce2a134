package a
p if { some i; input[i]; not q[i]; some i }
#                                  ^ compile error: var i declared above
q := []
