import data.a

p := 1
