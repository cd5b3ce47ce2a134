package a
p if { x := $"{y}"; y := 1 }
#                   ^ compile error: var y referenced above
q if { every x in [1] { $"{x}" == "1"; $"{y}" == "2" } }
