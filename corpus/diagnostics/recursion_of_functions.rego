package a
f(x) := f(x - 1) if { x > 0 }
# column 1: recursion error: rule data.a.f is recursive: data.a.f -> data.a.f
g(x) := h(x)
# column 1: recursion error: rule data.a.g is recursive: data.a.g -> data.a.h -> data.a.g
h(x) := g(x)
# column 1: recursion error: rule data.a.h is recursive: data.a.h -> data.a.g -> data.a.h
