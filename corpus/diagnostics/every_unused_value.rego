package a
p if { every x in [1] { true } }
#                       ^ compile error: declared var x unused
