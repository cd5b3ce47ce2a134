# METADATA
# scope: rule
package metadata

# METADATA
# title: Import
import data.a

# METADATA
# scope: planet
p := 1

# METADATA
# scope: rule
# entrypoint: true
q := 1
