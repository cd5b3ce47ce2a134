package names

if := 1

contains := 2

p if {
	input.x[1
}
