package a
p if { y := print(1) }
#           ^ type error: print(1) used as value
q := print(1)
#    ^ type error: print(1) used as value
