package operators

import future.keywords.and
import future.keywords.or

p if input.a and input.b or input.c

q if not input.a and input.b

r if { x := 1; x > 0 } or input.y

s if (input.a or input.b) and input.c with input as {}

both := and({1}, {2})
