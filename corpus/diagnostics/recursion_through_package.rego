package a
p := data.a
# column 1: recursion error: rule data.a.p is recursive: data.a.p -> data.a.p
