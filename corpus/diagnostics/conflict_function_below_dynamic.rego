package a
p[x] := 1 if { x := 1 }
# column 1: type error: rule data.a.p[x] conflicts with:\n  rule data.a.p.f at p.rego:3
p.f(x) := 1
