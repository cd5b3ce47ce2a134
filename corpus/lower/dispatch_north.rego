package policies.north

allow if input.wind
