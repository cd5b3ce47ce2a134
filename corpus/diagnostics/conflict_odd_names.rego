package a
p.q contains 1
# column 1: type error: rule data.a.p.q conflicts with:\n  rule data.a.p.q.r at p.rego:3
p.q.r := 1
p["x y"].z := 1
p["x y"] := 1
# column 1: type error: rule data.a.p["x y"] conflicts with:\n  rule data.a.p["x y"].z at p.rego:4
