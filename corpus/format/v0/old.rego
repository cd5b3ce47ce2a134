package old
import future.keywords.in
import input.a

default allow=false
allow{input.admin}
allow = true{ input.x; not input.y}
p[x]{x:=a[_]}
p["one"]
q[x]=y{ x := 1 ;y=2}
r = {"a": 1}
f(x)=y{y:=x}
g(x){x>1}
g(_) = 3
h { some i; a[i] == 1
} else = 2 { true }
else = 3
s { {1,2} }
t.u.v = 1
