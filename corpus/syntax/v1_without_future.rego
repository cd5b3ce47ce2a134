package without

p if input.a and input.b
