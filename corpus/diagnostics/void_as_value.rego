package a
import data.t
import input.k as key
p if { y := print(1) }
#           ^ type error: print(1) used as value
q := print(1)
#    ^ type error: print(1) used as value
r := print(t.p, [s, {t["a b"]: key}], input.x, t.f(key.z))
#    ^ type error: print(data.t.p, [data.a.s, {data.t["a b"]: input.k}], input.x, data.t.f(input.k.z)) used as value
s := 1
