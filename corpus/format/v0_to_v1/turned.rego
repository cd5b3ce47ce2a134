package turned
import future.keywords.every
# users
import data.users
p[x] { x := users[_] }
q[x] = y { y := x }
r { every x in input { x > 1 } }
s = 1
t = 2 { true } else = 3 { false }
f(x) = x + 1
a.b { input.c }
