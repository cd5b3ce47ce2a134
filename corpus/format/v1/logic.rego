package logic
import future.keywords.and
import future.keywords.or
import future.keywords.not

p if input.a and input.b or input.c
p if {
	input.a and
	input.b or
		input.c
}
p if (input.a or input.b) and not (input.c or input.d)
p if { not { input.a; input.b } }
p if not {
	input.a
	input.b
}
p if { { input.x; input.y } or { input.z } }
p if { (input.a with input as {}) or input.b }
p if ({1} & input.s) == {1} and true
