package a
import data.b
p if { some x in ["q", "r"]; data.a[x] }
q := 1
r := 2
