package a
p if {
	some x in {[] | y := {}[_]}
#          ^ type error: undefined ref: lt(minus({[] | y = {}[_]}, 1), [])[__local0__]
#                     ^ type error: undefined ref: {}[_]
	-1 < []
}
f(z) := 1 if { x := {z: [] | y := input; y[[_, 1]]}[_] }
#                   ^ type error: undefined ref: {z: [] | y = input; y[[_, 1]]}[_]
g(z) := 1 if { x := [z | y := {[] | true}[_]][_].b }
#                   ^ type error: undefined ref: [z | {[] | true} = {[] | true}; y = {[] | true}[_]][_].b
