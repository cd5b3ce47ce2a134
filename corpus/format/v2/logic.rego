package logic
import rego.v2
p if input.a and input.b
q if not { input.a; input.b }
r if not ({1})
s := input.and["or"]
