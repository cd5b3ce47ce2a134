# options: print
package a
# What stands in front of a comprehension's body, and what `every` goes over, sees no variable of the bodies round it.
p if { x := 1; y := [[1 | print(x)] | true] }
#                               ^ compile error: var x is undeclared
q if { y := [[1 | print(z)] | z := 1] }
#                       ^ compile error: var z is undeclared
r if { x := 1; every y in [1 | print(x)] { y == 1 } }
#                                    ^ compile error: var x is undeclared
s if { x := 1; y := [1 | print(x)] }
t(x) if { y := [[1 | print(x)] | true] }
