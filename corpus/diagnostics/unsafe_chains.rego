package a
p if { x := y; y := x }
#              ^ compile error: var y referenced above
p2 if { x = y; y := 1; z := x; z > w}
#              ^ compile error: var y referenced above
p3 if { y := {x: z}; x = 1 }
