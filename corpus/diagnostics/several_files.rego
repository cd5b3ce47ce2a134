# file: a.rego
package a
q if { y }
r if { foo(1) }
#      ^ type error: undefined function foo
# file: b.rego
package a
p if { x }
