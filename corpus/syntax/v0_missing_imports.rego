package old

p { some x in [1] }

q { every x in [1] { x } }

r { input.x in [1] }
