# Sharing of documents: folders stand in folders, groups in groups, and a grant on any of them reaches down.
package share

default allow := false

allow if {
	some object in objects
	some relation in implied_by[input.permission]
	some subject in data.share.grants[object][relation]
	subject in subjects
}

allow if {
	input.permission == "view"
	some object in objects
	data.share.public[object]
}

implied_by := {
	"view": ["viewer", "editor", "owner"],
	"edit": ["editor", "owner"],
	"share": ["owner"],
}

objects := graph.reachable(data.share.parents, {input.object})

subjects := graph.reachable(data.share.member_of, {input.user})
