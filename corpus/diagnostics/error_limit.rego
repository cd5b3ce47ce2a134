package a
p1 if { a1 }
#       ^ unsafe-var error: var a1 is unsafe
p2 if { a2 }
#       ^ unsafe-var error: var a2 is unsafe
p3 if { a3 }
#       ^ unsafe-var error: var a3 is unsafe
p4 if { a4 }
#       ^ unsafe-var error: var a4 is unsafe
p5 if { a5 }
#       ^ unsafe-var error: var a5 is unsafe
p6 if { a6 }
#       ^ unsafe-var error: var a6 is unsafe
p7 if { a7 }
#       ^ unsafe-var error: var a7 is unsafe
p8 if { a8 }
#       ^ unsafe-var error: var a8 is unsafe
p9 if { a9 }
#       ^ unsafe-var error: var a9 is unsafe
p10 if { a10 }
#        ^ unsafe-var error: var a10 is unsafe
p11 if { a11 }
p12 if { a12 }
# nowhere: compile error: error limit reached
