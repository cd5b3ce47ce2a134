package a
p if { obj[x][y]; obj := {"a": {"b": 1}}; z[x] }
#                 ^ compile error: var obj referenced above
