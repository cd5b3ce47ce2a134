package a
once(x) := count(1)
#          ^ type error: count: invalid argument(s)
first(1) := count(1)
#           ^ type error: count: invalid argument(s)
first(2) := 3
last(1) := 3
last(2) := count(1)
#          ^ type error: count: invalid argument(s)
third(1) := count(1)
#           ^ type error: count: invalid argument(s)
third(2) := 3
third(3) := 3
other(1) := 3 if { count(1) } else := 4
#                  ^ type error: count: invalid argument(s)
p := [once(1), last(1), third(1)]
q := first(1)
#    ^ type error: undefined function data.a.first
r := other(1)
#    ^ type error: undefined function data.a.other
