package a
p if { every k, v in [1] { v > 1 } }
#                          ^ compile error: declared var k unused
