package a
p := 1
# column 1: type error: conflicting rules data.a.p found
p contains 2
q := 1
# column 1: type error: conflicting rules data.a.q[x] found
q[x] := 2 if { x := 1 }
r contains 1
# column 1: type error: conflicting rules data.a.r[x] found
r[x] := 1 if { x := 1}
s contains 1
# column 1: type error: conflicting rules data.a.s[x] found
s[x] contains 2 if { x := 1 }
