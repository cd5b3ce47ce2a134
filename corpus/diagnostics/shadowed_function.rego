package a
f(x) := 1
p if { f := 1; y := f(2); y == 1 }
#                   ^ compile error: called function f shadowed
