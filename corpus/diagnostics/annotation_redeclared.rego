# file: a.rego
# METADATA
# title: first
package shop

# METADATA
# scope: document
# title: one
open := true
# file: b.rego
# METADATA
# column 1: type error: package annotation redeclared: a.rego:1
# title: second
package shop

# METADATA
# column 1: type error: document annotation redeclared: a.rego:5
# scope: document
# title: two
open := true
