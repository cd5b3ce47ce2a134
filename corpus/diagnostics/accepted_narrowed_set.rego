# file: p.rego
package a.b
p if { x := {"b", "c"}[_]; data.a[x].p }
# column 1: recursion error: rule data.a.b.p may be recursive: data.a.b.p -> data.a.b.p (data.a[x].p refers to data.a.b.p if x is "b" (x is one of {"b", "c"}))
# file: q.rego
package a.c
p := 1
