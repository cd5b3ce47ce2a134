# entrypoints: doors/pair
package doors

pair := [key, value, rest.level] if {
	{"door": [key, "open"], "at": rest} = input
	[value, 2] = [rest.side, count(key)]
	{key, "x"} == input.keys
}
