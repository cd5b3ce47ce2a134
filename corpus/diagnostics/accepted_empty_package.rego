# file: p.rego
package a
# file: q.rego
package a.b
p := 1
# file: r.rego
package a
# column 1: type error: package a.b conflicts with rule b defined at r.rego:2
b := 1
# column 1: type error: rule data.a.b conflicts with:\n  rule data.a.b.p at q.rego:2
