# file: p.rego
package a.b
p if { data.a[x].p }
# column 1: recursion error: rule data.a.b.p is recursive: data.a.b.p -> data.a.b.p
# file: q.rego
package a.c
p := 1
