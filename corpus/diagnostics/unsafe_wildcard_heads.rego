package a
p := {"a": x, y: 1} if { x := 1 }
#             ^ unsafe-var error: var y is unsafe
q := [_] if { true }
#     ^ unsafe-var error: var _ is unsafe
r[_] := 1 if { true }
# ^ unsafe-var error: var _ is unsafe
s contains _
#          ^ unsafe-var error: var _ is unsafe
