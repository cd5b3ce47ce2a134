# The decision that `POST /` asks for: a webhook of the API server may point straight at it.
package system

import data.admission

main := {
	"apiVersion": "admission.k8s.io/v1",
	"kind": "AdmissionReview",
	"response": response,
}

response := {"uid": input.request.uid, "allowed": true} if allowed

response := answer if {
	not allowed
	answer := {
		"uid": input.request.uid,
		"allowed": false,
		"status": {"code": 403, "message": concat("; ", admission.deny)},
	}
}

default allowed := false

allowed if admission.exempt

# Without a request there is nothing to let in, so the count of findings alone is not enough.
allowed if {
	input.request.uid
	count(admission.deny) == 0
}
