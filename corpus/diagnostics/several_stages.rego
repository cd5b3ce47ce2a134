package a
import data.foo
import data.bar.foo
# column 1: compile error: import must not shadow import data.foo
p if { input := 1; input }
#      ^ compile error: variables must not shadow input (use a different variable name)
q if { x }
#      ^ unsafe-var error: var x is unsafe
