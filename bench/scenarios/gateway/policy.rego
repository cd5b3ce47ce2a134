# An API gateway: public prefixes, routes with path patterns and scopes kept in data, and calls inside the mesh.
package gateway

default allow := false

allow if {
	some prefix in ["/static/", "/docs/", "/.well-known/", "/healthz"]
	startswith(input.path, prefix)
	input.method in {"GET", "HEAD"}
}

allow if {
	not expired
	some route in matching
	input.method in route.methods
	every scope in route.scopes {
		scope in granted
	}
}

allow if {
	startswith(input.caller, "mesh:")
	glob.match("/v1/*/internal/**", ["/"], input.path)
	not input.path in data.gateway.frozen
}

service := split(input.path, "/")[2]

matching contains route if {
	some route in data.gateway.routes[service]
	glob.match(route.pattern, ["/"], input.path)
}

granted := split(input.token.scope, " ")

expired if input.token.exp <= input.now
