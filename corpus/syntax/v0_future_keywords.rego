package old

import future.keywords.every
import future.keywords.if
import future.keywords.contains

p if every x in [1] { x > 0 }

q contains x if x := 1
