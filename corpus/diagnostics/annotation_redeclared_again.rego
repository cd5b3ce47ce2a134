# file: a.rego
package shop

# METADATA
# scope: document
# title: one
open := true

# METADATA
# column 1: type error: document annotation redeclared: a.rego:3
# scope: document
# title: two
open := true

# METADATA
# column 1: type error: document annotation redeclared: a.rego:3
# scope: document
# title: three
open := true
