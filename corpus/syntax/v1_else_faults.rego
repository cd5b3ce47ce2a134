package elses

p[x] := 1 if { x := 1 } else := 2 if { true }
