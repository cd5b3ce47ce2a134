package a
p if { x := input.y; data.a[x] }
# column 1: recursion error: rule data.a.p may be recursive: data.a.p -> data.a.p (data.a[x] refers to data.a.p if x is "p" (x comes from input.y))
p2 if { data.a[input.foo].b }
# column 1: recursion error: rule data.a.p2 may be recursive: data.a.p2 -> data.a.p2 (data.a[input.foo] refers to data.a.p2 if input.foo is "p2")
