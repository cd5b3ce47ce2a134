package a
f(x) := 1
# column 1: type error: conflicting rules data.a.f found
f(x, y) := 2
