package metadata

# METADATA
p := 1

# METADATA
# title: [no, text]
q := 1

# METADATA
#title:x
# scope: rule
r := 1

# METADATA
# authors: [5]
s := 1
