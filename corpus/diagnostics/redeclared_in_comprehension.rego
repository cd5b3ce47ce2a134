package a
p := [x | x := 1; x := 2]
#                 ^ compile error: var x assigned above
