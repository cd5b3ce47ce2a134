package ops

a := 1 + 2 * 3 - 4 / 2 % 5

b := (1 + 2) * 3

c := {1, 2} | {3} & {2}

d if 1 + 1 == 2

e if 1 in [1] == true

f if "k", "v" in {"k": "v"}

g := -x if x := 3

h := - 1

i if not x.y in z

j := [1, 2,]

k := {"a": 1, "b": 2,}

l := f(1,)

m := {x | x := 1} | {2}
