module lictor.test/peers/json

go 1.26
