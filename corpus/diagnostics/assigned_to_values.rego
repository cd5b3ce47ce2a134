package a
p if { 1 := 2; "a" := 1; [1,x] := [1,2]; {"a": 1} := {}; f(x) := 1; input.x := 1 }
#      ^ compile error: cannot assign to number
#              ^ compile error: cannot assign to string
#                         ^ compile error: cannot assign to number
#                                              ^ compile error: cannot assign to number
#                                                        ^ compile error: cannot assign to call
#                                                                   ^ compile error: cannot assign to ref
