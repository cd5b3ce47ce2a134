# entrypoints: doors/allow doors/reason
package doors

default allow := false

allow if input.badge == "gold"

allow if {
	input.badge == "silver"
	input.hour < 18
}

reason := "no badge" if not input.badge
else := "late" if input.hour >= 18
else := "ok"
