package chained

p if {
	input.a
} {
	input.b
}

f(_, x) := x if {
	x > 1
} {
	x < 0
}

q := 1 if input.x else := 2 if {
	input.y
} else := 3

r if input.x
else := false
