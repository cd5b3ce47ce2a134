package a
p if { true with x as 1 }
#                ^ type error: with keyword target must reference existing input, data, or a function
q if { x := 1; true with x as 1 }
#                        ^ type error: with keyword target must reference existing input, data, or a function
