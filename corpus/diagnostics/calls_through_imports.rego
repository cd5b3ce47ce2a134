# file: a.rego
package a.c
f(x) := 1
g := 1
# file: b.rego
package a.b
import data.a.c.f
import data.a.c
p if { f(1, 2); c.f(1,2,3); c.g(1); c.h(2) }
#               ^ type error: function data.a.c.f has arity 1, got 3 arguments
#                                   ^ type error: undefined function data.a.c.h
q if { c.f }
