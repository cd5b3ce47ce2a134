package refs.if

import data.else.not as other

p.package.default := input.some["with space"]["a\nb"]

q := input["if"].contains[_][x].every

r := data

s := [1, 2][0]

t := {"a": 1}.a

u := f(x)[0].y

v if input.x.not
