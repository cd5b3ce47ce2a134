package a
p if { x := {{[]: [] | y := {}[_]}}[_] }
#           ^ type error: undefined ref: {{[]: [] | {} = {}; y = {}[_]}}[_]
#                           ^ type error: undefined ref: {}[_]
