package a
p if { split(x, ".", y) }
#      ^ unsafe-var error: var x is unsafe
#      ^ unsafe-var error: var y is unsafe
q if { y := split("a.b", x) }
#           ^ unsafe-var error: var x is unsafe
r if { concat(".", x) == "a" }
#      ^ unsafe-var error: var x is unsafe
