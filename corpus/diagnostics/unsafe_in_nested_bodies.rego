package a
p if { a := 1; b := [c | c := a + d] }
#                             ^ unsafe-var error: var d is unsafe
q if { every k, v in {"a": 1} { k == "a"; v == w } }
#                                         ^ unsafe-var error: var w is unsafe
