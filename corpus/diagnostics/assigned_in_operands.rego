package a
import rego.v2
p if { x := 1 and true }
#      ^ compile error: cannot assign vars inside implicit and operand
q if { true or x := 1 }
#              ^ compile error: cannot assign vars inside implicit or operand
