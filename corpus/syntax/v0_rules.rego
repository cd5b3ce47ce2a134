package old

import input.items

allow { items[_].open }

allow = x { x := items[0].value } else = 0 { not items[0] }

names[name] { name := items[_].name }

sizes[name] = size { size := count(items[i]); name := i }

default deny = true

f(x) = y { y = x + 1 }

contains := 1

p = 1

q[1]

a.b.c
