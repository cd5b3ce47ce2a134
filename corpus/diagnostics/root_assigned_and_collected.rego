# options: strict
package a
q := [input | input := 2]
#             ^ compile error: variables must not shadow input (use a different variable name)
