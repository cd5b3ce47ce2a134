package negation

import future.keywords.not

p if not input.a.b == 1

q if not { x := input.x; x > 1 }

r if { not input.x with input as {} }
