package a
p if { some input; count(input) }
#                  ^ unsafe-var error: var input is unsafe
