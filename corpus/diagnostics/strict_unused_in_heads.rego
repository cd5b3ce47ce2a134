# options: strict
package a
p := [x | x := 1; y := 2]
#                 ^ compile error: assigned var y unused
q contains x if { some x in [1]; y := 2 }
#                                ^ compile error: assigned var y unused
