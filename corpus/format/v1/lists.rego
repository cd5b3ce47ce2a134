package lists

empty := [[], {}, set(), [ ], {	}]
flat := [1,2 , 3,]
rows := [1, 2,
3, 4, 5,
6]
first_below := [
	"a", "b"]
objects := {"k": {"deep": [1,
2]}, "z": {"y": {"x": 1}}}
sets := {3, 2, 1, 1.0, 3}
unions := [a | {1}, (b | {2})]
union_keys := {(a | b): c | d, (e | f): (g | h)}
a contains 1
b contains 2
call := concat(",", ["a",
	"b"])
below := concat(
	",", ["a"])
nested := f(g(h(1,
2), 3), 4)
f(x, y) := [x, y]
g(x, y) := [x, y]
h(x,
y) := [x, y]
strings := ["a\u0041", `raw \n`, "tab\t", `two
lines`]
numbers := [1e3, 0.50, -1, 1.0e+2, -0]
