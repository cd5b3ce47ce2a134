# file: a.rego
package a
f(x) := 1
g(x, y) := 2
# file: b.rego
package b
p if { some k, v in data.a }
#      ^ type error: match error
q if { data.a[k] }
