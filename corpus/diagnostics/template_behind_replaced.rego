package a
p if { x = 1 with upper as lower; y := $"{x + 1}" }
#                                         ^^^^^ compile error: var x is undeclared
q if { x = 1 with upper as json.marshal; y := $"{x + 1}" }
r if { x = 1 with upper as lower; y := $"{x}" }
