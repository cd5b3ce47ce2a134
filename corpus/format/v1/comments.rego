# above the package

   # and one more
package shop.orders   # beside the package



# above the imports
import data.users   # who
import data.items
# between two groups

import input.cart as basket

# METADATA
# title: limits
# METADATA
# title: another block
limits := {  # of what
	"small": 1, # one
	# above a key
	"large": 100,

	"none": 0  # last
}  # behind

allow if { # first
	# alone
	users[_].name == basket.name  # by name


	# after a gap
	not blocked   # nobody
	# last
}   # end

f(x,  # the argument
  y) := x + y  # sum

total := sum([ # all
	price | some item in basket.items  # each
	price := items[item].price # found
]) # done

one_line := [1, # keeps
2]

kept := { "a": 1 # no line for it
	, "b": [2, # here
	3] }

# at the very end
