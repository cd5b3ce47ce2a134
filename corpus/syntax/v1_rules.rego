package library.loans

import data.members
import input.request as req

default allowed := false

allowed if {
	members[req.member].active
	not overdue(req.member)
}

allowed if req.member == "librarian"

overdue(member) if {
	some loan in members[member].loans
	loan.due < req.today
} else := false

fines contains {"member": m, "sum": sum(amounts)} if {
	some m, record in members
	amounts := [fine.amount | some fine in record.fines]
}

shelf["a"].row := 1

shelf[letter].row := n if {
	letter := ["b", "c"][i]
	n := i + 2
}

due_in(_, 0) := "today"

due_in(start, days) := $"{start + days} ({days} days)"

default due_in(_, _) := "never"
