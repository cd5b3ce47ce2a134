# Statements with wildcards and conditions, attached to principals by name; a deny wins over every allow.
package iam

default decision := "implicit deny"

decision := "deny" if denied

decision := "allow" if {
	not denied
	allowed
}

denied if {
	some statement in statements
	statement.effect == "deny"
	applies(statement)
}

allowed if {
	some statement in statements
	statement.effect == "allow"
	applies(statement)
}

statements contains statement if {
	some name in data.iam.attached[input.principal]
	some statement in data.iam.policies[name]
}

applies(statement) if {
	some action in statement.actions
	fits(action, input.action)
	some resource in statement.resources
	fits(resource, input.resource)
	every condition in object.get(statement, "conditions", []) {
		holds(condition)
	}
}

fits(pattern, text) if pattern == text

fits(pattern, text) if {
	endswith(pattern, "*")
	startswith(text, trim_suffix(pattern, "*"))
}

holds(condition) if {
	condition.op == "equals"
	input.context[condition.key] == condition.value
}

holds(condition) if {
	condition.op == "differs"
	input.context[condition.key] != condition.value
}

holds(condition) if {
	condition.op == "one of"
	input.context[condition.key] in condition.value
}

holds(condition) if {
	condition.op == "below"
	input.context[condition.key] < condition.value
}

holds(condition) if {
	condition.op == "starts"
	startswith(input.context[condition.key], condition.value)
}
