package keywords
import future.keywords

p contains x if some x in input.xs
q if { every x in input { x > 1 } }
r := data.if.contains["in"].every["not"]
