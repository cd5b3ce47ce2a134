# options: strict
package a
f(x, y, _) := 1
# column 1: compile error: unused argument x. (hint: use _ (wildcard variable) instead)
# column 1: compile error: unused argument y. (hint: use _ (wildcard variable) instead)
g(x) := x
h(x) if { true } else := x
