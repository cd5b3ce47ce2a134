package rules
import data.other as o
import data.a
import data["not"] as never

default allow=false
default f( _ ) := 1
allow if input.admin
allow if{ input.user; input.password }
allow := true if input.x
p contains x if some x in input.xs
p contains "y"
q.r.s := 1
q["dotted"].t contains 3
q[x] := y if { x := 1; y := 2 }
set_body if { {1, 2} }
g(x) := "low" if x < 1 else := "high" if { x > 9 } else := "mid"
h(x) := 1 if {
	x == 1
} else := 2 if {
	x == 2
}

else := 3 if x == 3

# about the last
else := 4
two := 1 if { input.a } { input.b }
i([_, _]) if { true; input.z } { false }
value := {"long": input.a,
"list": input.b} if input.c
constant if true
u if (a | o) == {1}
w if { (a | o) }
