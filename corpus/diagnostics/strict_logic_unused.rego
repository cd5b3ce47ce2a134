# options: strict
package a
import rego.v2
p if { x := input.x; { y := x; y > 1 } or { y := 2; true } }
#                                           ^ compile error: assigned var y unused
q if { not { y := 1; true } }
#            ^ compile error: assigned var y unused
