package tabs

p if {
		x	:=
}
