package a
p if { x := x }
#      ^ compile error: var x referenced above
q if { [x, y] := [y, 1] }
#          ^ compile error: var y referenced above
r if { x := y; y := 1 }
#              ^ compile error: var y referenced above
