package old

p if { input.x }

q contains 1
