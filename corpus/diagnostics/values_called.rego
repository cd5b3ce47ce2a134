package a
p if { q(1) }
#      ^ type error: undefined function data.a.q
q := 2
r if { s(3) }
#      ^ type error: undefined function data.a.s
s contains 4
