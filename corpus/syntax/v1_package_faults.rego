package a

p := 1

package b
