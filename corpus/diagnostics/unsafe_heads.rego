package a
p := x
#    ^ unsafe-var error: var x is unsafe
q := [x | y = 1]
r := {x: y | z = 1}
s if { [x | y = x; y > 1] }
