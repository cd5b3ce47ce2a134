# options: strict
package a
p := q[x](2) if { x := "f" }
#    ^ type error: undefined function data.a.q[x]
q.f(y) := y
