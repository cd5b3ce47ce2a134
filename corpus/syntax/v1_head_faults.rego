package heads

p := 1 with input as 2

1 == 1

count(x)

"p" := 1

f(x) contains 1

every := 1
