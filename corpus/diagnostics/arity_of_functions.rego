package a
f(x) := 1
p if { f() }
#      ^ type error: function data.a.f has arity 1, got 0 arguments
q if { f(1, 2, 3) }
#      ^ type error: function data.a.f has arity 1, got 3 arguments
r := f(1, 2)
#    ^ type error: function data.a.f has arity 1, got 2 arguments
s if { y := f(1, 2) ; y}
#           ^ type error: function data.a.f has arity 1, got 2 arguments
t if { f(f(1,2)) }
#        ^ type error: function data.a.f has arity 1, got 2 arguments
u if { data.a.f(1, 2, 3) }
#      ^ type error: function data.a.f has arity 1, got 3 arguments
v if { not f() }
#      ^ type error: function data.a.f has arity 1, got 0 arguments
