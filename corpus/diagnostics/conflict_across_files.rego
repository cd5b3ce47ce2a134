# file: p.rego
package a
p := 1
# column 1: type error: conflicting rules data.a.p found
# file: q.rego
package a
p contains 1
# file: r.rego
package a
p(x) := 1
