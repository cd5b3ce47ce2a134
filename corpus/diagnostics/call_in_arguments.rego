package a
f({"a": x, y: z}, [x, _]) := z
g({x}) := x
h(count([1])) := 2
# ^ compile error: rule arguments cannot contain calls
