package bodies

p if every i, v in data.pairs {
	i < v
}
