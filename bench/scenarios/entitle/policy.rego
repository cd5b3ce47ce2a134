# What a tenant's plan entitles its users to, by partial rules that are only ever asked for one key.
package entitle

default decision := {"allow": false, "left": 0}

decision := {"allow": true, "left": left} if {
	not suspended[input.tenant]
	input.feature in features[input.tenant]
	seats[input.tenant][input.user]
	left := limits[input.tenant][input.resource] - used(input.tenant, input.resource)
	left > 0
}

suspended contains tenant if {
	some tenant, record in data.entitle.tenants
	record.unpaid_days > 30
}

features[tenant] contains feature if {
	some tenant, record in data.entitle.tenants
	some feature in array.concat(data.entitle.plans[record.plan].features, record.extras)
}

limits[tenant][resource] := limit + bonus if {
	some tenant, record in data.entitle.tenants
	some resource, limit in data.entitle.plans[record.plan].limits
	bonus := object.get(record.bonus, resource, 0)
}

seats[tenant] contains user if {
	some tenant, record in data.entitle.tenants
	some user in record.users
}

used(tenant, resource) := object.get(data.entitle.usage, [tenant, resource], 0)
