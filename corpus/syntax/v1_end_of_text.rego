package ends

p if {
	input.x
