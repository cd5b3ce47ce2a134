# file: p.rego
package a.b.c
# file: r.rego
package a
b := 1
