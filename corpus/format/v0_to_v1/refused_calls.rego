package refused_calls
p { any([true]) }
