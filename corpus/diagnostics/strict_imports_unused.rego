# options: strict
package a
import data.b
# column 1: compile error: import data.b unused
import data.c as d
import input.x
p if { d.x; x }
