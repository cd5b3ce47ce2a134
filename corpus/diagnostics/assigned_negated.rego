package a
p if { not x := 1 }
#      ^ compile error: cannot assign vars inside negated expression
