package a
p.q := 1
# column 1: type error: rule data.a.p.q[x] conflicts with:\n  rule data.a.p.q.r at p.rego:3\n  rule data.a.p.q.s.t at p.rego:5
p.q.r := 2
p.q[x] := 3 if { x := 1 }
p.q.s.t if { true }
