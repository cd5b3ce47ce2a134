package a
p := {"x": 1}
q if { p.x with data.a.p.x as 2 }
#               ^ compile error: with keyword cannot partially replace virtual document(s)
r if { p.x with p.x as 2 }
#               ^ compile error: with keyword cannot partially replace virtual document(s)
