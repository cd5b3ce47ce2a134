package a
import rego.v2
p := $"{input.x and input.y}"
#       ^ compile error: unexpected template-string expression type: *ast.LogicalAnd
q := $"{not input.x}"
#       ^ compile error: unexpected template-string expression type: *ast.Not
