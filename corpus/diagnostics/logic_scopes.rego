package a
import rego.v2
p if { x := input.x; { y := x; y > 1 } or { y := 2; y > x } }
q if { { some y; y = 1 } and true }
r if { not { y := 1 } }
