# options: strict
package a
p if { every x in [[true]] { any(x) } }
q if { every x in [true] { not any([x]) } }
