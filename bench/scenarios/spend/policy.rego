# An expense report of many lines: sums by category in one currency, held to limits of the traveller's grade.
package spend

report := {
	"approved": count(violations) == 0,
	"total": sum([amount | some line in lines; amount := line.cents]),
	"by_category": by_category,
	"largest": max([line.cents | some line in lines]),
	"violations": violations,
}

grade := data.spend.grades[input.employee]

lines := [{"category": item.category, "merchant": item.merchant, "cents": cents} |
	some item in input.items
	cents := item.amount * data.spend.rates[item.currency]
]

by_category[category] := total if {
	some category in {line.category | some line in lines}
	total := sum([line.cents | some line in lines; line.category == category])
}

violations contains message if {
	some category, total in by_category
	limit := data.spend.limits[grade][category]
	total > limit
	message := sprintf("%s: %d is over the limit of %d", [category, total, limit])
}

violations contains message if {
	some category, _ in by_category
	not data.spend.limits[grade][category]
	message := sprintf("%s: not allowed for grade %s", [category, grade])
}

violations contains message if {
	some merchant in {line.merchant | some line in lines}
	count([1 | some line in lines; line.merchant == merchant]) > 3
	message := sprintf("%s: more than three lines", [merchant])
}
