# options: strict
package a
p if { every x in [[true]] { any(x) } }
#                            ^ type error: deprecated built-in function calls in expression: any
q if { any([input.x]) }
#      ^ type error: deprecated built-in function calls in expression: any
