package a
p if { every x in [1] { x := 2 } }
#                       ^ compile error: var x declared above
