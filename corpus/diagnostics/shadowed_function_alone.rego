package a
p if { f := 1; f(2) }
#              ^ type error: undefined function f
