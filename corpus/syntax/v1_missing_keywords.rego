package missing

p { input.x }

p[x] { x := 1 }

f(x) { x }

q if { input.x } else { input.y }

a.b.c

