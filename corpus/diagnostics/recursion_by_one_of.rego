package a
p if { some x in ["q", "p"]; data.a[x] }
# column 1: recursion error: rule data.a.p may be recursive: data.a.p -> data.a.p (data.a[x] refers to data.a.p if x is "p" (x is one of ["q", "p"]))
q := 1
