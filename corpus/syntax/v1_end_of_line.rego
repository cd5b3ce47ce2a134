package ends

p := 