package a
p[x] if { some x in [y] }
p2[x][y] if { some x in [1] }
#     ^ unsafe-var error: var y is unsafe
p3.foo[x] := y if { some x in [1] }
#            ^ unsafe-var error: var y is unsafe
