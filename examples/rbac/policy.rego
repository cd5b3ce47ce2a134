# Who may do what in a small company: people hold roles, roles grant actions on kinds of things,
# and some roles stand on others.
package rbac

default allow := false

allow if {
	not blocked
	some role in roles
	some grant in data.rbac.grants[role]
	input.action in grant.actions
	matches(grant.resource, input.resource)
}

# An owner may read and change what they own, whatever their roles say.
allow if {
	not blocked
	input.owner == input.user
	input.action in {"read", "update"}
}

blocked if input.user in data.rbac.suspended

# The roles a person holds, directly or because a role that they hold stands on another.
roles contains role if {
	some held in data.rbac.people[input.user]
	some role in graph.reachable(data.rbac.inherits, {held})
}

matches(pattern, resource) if glob.match(pattern, ["/"], resource)

# Why the answer is no, for a person who asks.
reasons contains "the person is suspended" if blocked

reasons contains "the person is not known" if not data.rbac.people[input.user]

reasons contains message if {
	not allow
	count(roles) > 0
	message := sprintf("none of the roles %v may %s %s", [sort(roles), input.action, input.resource])
}
