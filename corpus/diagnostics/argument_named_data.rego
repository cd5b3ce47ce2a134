package a
f(data) := 1
# column 1: compile error: args must not shadow data (use a different variable name)
