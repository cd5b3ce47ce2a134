# options: print
package a
p if { print(x) }
#            ^ compile error: var x is undeclared
q if { x := 1; print(x, y) }
#                       ^ compile error: var y is undeclared
