package a
p if { some x in []; x }
#                ^ type error: undefined ref: [][__local0__]
