package old

import rego.v1

p if input.x

q { input.y }
