# options: print
package a
p if { y := z; print(y) }
#      ^ unsafe-var error: var z is unsafe
