package wide

greeting := "käse" ; x

p if { "日本" = }
