package a
o := {{1: "x"}: 2}
# In a key that is an object the keys are text, as in JSON.
p := o[{1: "x"}]
#    ^ type error: undefined ref: data.a.o[{1: "x"}]
q := o[{"1": "y"}]
r := {[null, {true: 1}]: 2}[[null, {"true": 3}]]
