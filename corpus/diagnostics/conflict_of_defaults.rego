package a
# column 1: type error: multiple default rules data.a.p found at p.rego:2, p.rego:3
# column 1: type error: multiple default rules data.a.q found at p.rego:5, p.rego:6
default p := 1
default p := 2
p := 3
default q := 1
default q := 2
