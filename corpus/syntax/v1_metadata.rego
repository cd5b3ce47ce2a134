# METADATA
# title: The package
# authors:
#   - Ann Example <ann@example.org>
#   - email: bob@example.org
# related_resources:
#   - https://example.org
#   - ref: https://example.org/more
#     description: More
package metadata

# METADATA
# entrypoint: yes
# description: |
#   Two
#   lines
p := 1

p := 2

# METADATA
# scope: rule
# custom:
#   level: 3
#   tags: [a, 'b']
q if input.x

q if input.y
