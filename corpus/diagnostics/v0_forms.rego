# options: v0
package a
p[x] { q[x] }
q[x] = y { x = 1 }
r { s[x][y]; not t[x][z] }
s = {}
t = {}
u = x { x = 1; x > 2; x := 3 }
#                     ^ compile error: var x referenced above
