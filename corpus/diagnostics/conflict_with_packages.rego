# file: p.rego
package a
# column 1: type error: package a.p conflicts with rule p defined at p.rego:2
# column 1: type error: package a.p2.q conflicts with rule p2.q defined at p.rego:3
p := 1
# column 1: type error: rule data.a.p conflicts with:\n  rule data.a.p.q at q.rego:2
p2.q := 1
# column 1: type error: rule data.a.p2.q conflicts with:\n  rule data.a.p2.q.r at r.rego:2
p3[x] := 1 if { x := 1 }
# file: q.rego
package a.p
q := 1
# file: r.rego
package a.p2.q
r := 1
# file: s.rego
package a.p3.x
r := 1
