package a
import rego.v2
f(x) := 1
p if { f(1, 2, 3) and g(1) }
#      ^ type error: function data.a.f has arity 1, got 3 arguments
#                     ^ type error: undefined function g
q if { count(y) == 1 or f(z) }
