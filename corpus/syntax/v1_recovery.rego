package recovery

import data.users as

first if {
	input.x ==
}

second := {"a": 1, "b" 2}

third if {
	input.a
	input.b input.c
}

fourth { input.x }

fine if input.x
