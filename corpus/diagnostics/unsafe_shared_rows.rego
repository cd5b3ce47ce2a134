package a
a if { x > 1 } b if { y > 1 }
#      ^ unsafe-var error: var x is unsafe in rule a
#                     ^ unsafe-var error: var y is unsafe in rule b
c if { true } else if { z > 1 }
#                       ^ unsafe-var error: var z is unsafe
