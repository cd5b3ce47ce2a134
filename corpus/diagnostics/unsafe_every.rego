package a
p if { every x in y { x > 1 } }
#                 ^ unsafe-var error: var y is unsafe
q if { every x in [1] { x > z } }
#                       ^ unsafe-var error: var z is unsafe
r if { some x in y; x > 1 }
#      ^ unsafe-var error: var x is unsafe
#      ^ unsafe-var error: var y is unsafe
s if { some x; not x > 1 }
#              ^ unsafe-var error: var x is unsafe
