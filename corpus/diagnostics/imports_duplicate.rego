package a
import data.b
import input.b
# column 1: compile error: import must not shadow import data.b
import data.q.b as b
# column 1: compile error: import must not shadow import data.b
import rego.v1
import rego.v1
# column 1: compile error: import must not shadow import rego.v1
p := 1
