# options: v0 strict
package a
import data.b
import input.b
# column 1: compile error: import must not shadow import data.b
p { b; any([true]); input := 1; input }
#                   ^ compile error: var input referenced above
#                   ^ compile error: variables must not shadow input (use a different variable name)
