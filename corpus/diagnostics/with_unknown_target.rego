package a
p if { true with data as {} with input as [] with foo.bar as 1}
#                                                 ^ type error: with keyword target must reference existing input, data, or a function
