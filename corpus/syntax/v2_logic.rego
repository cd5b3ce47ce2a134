package logic

p if not (input.a or input.b) and not {input.c; input.d}

q if {
	input.a or
		input.b
	(input.a and not input.b)
}

r if not not_x.y
