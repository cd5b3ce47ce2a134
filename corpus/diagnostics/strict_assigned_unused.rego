# options: strict
package a
p if { x := 1; y := 2; z := 3; z == 1 }
#      ^ compile error: assigned var x unused
#              ^ compile error: assigned var y unused
