package a
input := 1
f(input) := 1
# column 1: compile error: args must not shadow input (use a different variable name)
p if { data := 2; data == 2 }
