package a
import input.a.b.c
import data
p if { c; data.x }
