package a
f(input.x) := 1
# ^ unsafe-var error: var input is unsafe
