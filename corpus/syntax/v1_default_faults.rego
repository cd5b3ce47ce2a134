package defaults

default a := input.x

default b := count([1])

default c := [x | x := 1]

default f(x, x) := 1

default g("a") := 1

default h.i
