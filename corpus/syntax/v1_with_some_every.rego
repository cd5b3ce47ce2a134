package bodies

p if {
	some x, y
	input.x[x] == input.y[y]
	some k, {"id": id} in data.things with data.things as {"a": {"id": k}}
	every v in [1, 2] { v > 0; v < id } with input as {}
}
