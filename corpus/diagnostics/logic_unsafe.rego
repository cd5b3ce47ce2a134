package a
import rego.v2
p if { x > 1 and y > 2; x := 1; y := 2 }
#                       ^ compile error: var x referenced above
#                               ^ compile error: var y referenced above
q if { input.a and not input.b or input.c }
r if { { y := 1; y > 0 } and z }
s if { not { some x in [1]; x > w } }
t if { not (a and b) }
