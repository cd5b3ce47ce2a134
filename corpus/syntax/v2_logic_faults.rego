package logic

p if input.a with input as 1 or input.b

q if input.a and {1, 2}

r if input.a and {}

s if not {"a": 1}

t if print("x") or input.y

u if {input.a | input.b} and input.c
