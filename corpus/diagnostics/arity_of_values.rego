package a
p := 1
q if { p(1) }
r if { p() }
s := q(1, 2)
#    ^ type error: function data.a.q has arity 0, got 2 arguments
