package odd

import data.a # beside
import data.b

# signs have no place of their own, so that rows do not count
minus_in_list := [1, -a,
	2]

# the value stays on the row of the brace
path[{"k":
a.b | a.c}] = 1

kept = (b # here
	| a)

