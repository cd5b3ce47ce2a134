# options: v0
package a
import future.keywords
p contains x if { some x, _ in q; every y in x { y > z } }
#                                                ^ unsafe-var error: var z is unsafe
q := []
