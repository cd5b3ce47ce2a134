# entrypoints: doors/floors
package doors

floor(["lobby", _]) := 0

floor([_, level]) := level if level > 0

default floor(_) := "unknown"

floors := [floor(place) | some place in input.places]
