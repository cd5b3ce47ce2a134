package literals

numbers := [0, -0, 1.50, 1e3, 1E-3, .5, -.5, 12345678901234567890]

strings := ["", "a\tb\u00e9\ud834\udd1e\/", `raw \n "quoted"
line`, "\ud800"]

empty := [set(), {}, [], ``]

mixed := {"b": 1, "a": {3, 1, 2}, 1: null, [1]: true}

twice := {1, 1.0, "x", "x"}
