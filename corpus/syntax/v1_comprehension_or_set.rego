package ambiguous

compr := {x | x = 1}

union := {(x | y)}

list := {a | b, c}

object := {a: b | c}

pairs := {a: b | c, d: e}

array := [a | b, c]

nested := [a | [b | [c | d], e], f]

braces if {1}

body if {x}

members if {"a", "b"} == {"b", "a"}
