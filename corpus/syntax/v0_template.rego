package old

p = $"a{1}"
