package a
p if { y := "a"; {y: z} := {"a": 1}; z == 1 }
#                ^ unsafe-var error: var y is unsafe
#                ^ unsafe-var error: var z is unsafe
