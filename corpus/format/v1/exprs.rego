package exprs

p if {
	some i, j
	some k,
	  l
	some v in input.vs
	some kk, vv in input.os
	x := input[i] ; y = x.y
	not x
	not input.a == "b"
	every e in [1,2] { e > 0 }
	every n, m in {"a": 1} {
		n != m


		m == 1
	}
	x with input as {"a": 1} with data.b as 2
	y with input.a as 1
		with input.b as 2
	count([1, 2,
		3]) with input as 1
	z := (1+2)*3 - -4 / (5 % 6)
	a := x & y | z
	b := ["in", 1 in [1], (2, 3 in {2: 3})]
	plus(1, 2, c)
	minus(c, 1) == 1
	eq(c, 3)
	internal.member_2(1, [1])
	t := $"count {count(x)} of \{all} {  1 } {"s"}"
	d := input["and"].or["with"]["a b"]["c"].d[e][{"f": 1}]
	f := [1,2][0]
	g := {"a": 1}.a
	h := f(1).b[2]
	true
}
k := {x | x := input[_]}
l := {k: v |
	some k, v in input
	v > 1
}
m := [ x |
  some x in input ]
n := [{"a": x} | x := 1; x > 0]
o := {(x | y) | x := {1}; y := {2}}
q := { "k":
	v | v := 1 }
