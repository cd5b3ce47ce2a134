package templates

greet(name) := $"Hello, {name}! \{not an expression} {1 + 1}"

lines := $`first {input.a}
second \n {upper("b")}`

nested := $"a{$"b{[x | x := "}"]}"}c"

scalars := $"{1} {true} {null} {"s"}"

empty := $""
