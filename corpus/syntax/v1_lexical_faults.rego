package lexical

a := "open

b := "\q"

c := 1.

d := 0x1f

e := @
