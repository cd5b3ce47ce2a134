package a
f(x) := 1
# column 1: type error: rule data.a.f conflicts with:\n  rule data.a.f.g at p.rego:3
f.g(x) := 1
