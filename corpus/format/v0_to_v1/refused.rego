package refused
import data.a
import data.b.a
f(data) = 1
q { input := 1 }
input { true }
