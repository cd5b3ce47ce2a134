package a
p := 1 if { input.x } else := p
#                     ^ recursion error: rule data.a.p is recursive: data.a.p -> data.a.p
