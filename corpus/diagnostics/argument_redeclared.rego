package a
f(x) if { x := 2 }
#         ^ compile error: arg x redeclared
