package turned
import rego.v1
import future.keywords.and
p if input.a and input.b
q if not {1} & input.s == {1}
