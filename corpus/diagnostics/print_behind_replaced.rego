# options: print
package a
import rego.v2
# A built-in of one name in the place of another binds nothing until `with` is looked at.
p if { x := 1 with upper as lower; y := [1 | print(x)] }
#                                                  ^ compile error: var x is undeclared
q if { x = 1 with upper as lower; print(x) }
#                                       ^ compile error: var x is undeclared
s if { x := 1 with upper as json.marshal; y := [1 | print(x)] }
t if { x := 1 with upper as lower; print(x) }
u if { x := 1 with upper as "a"; y := [1 | print(x)] }
