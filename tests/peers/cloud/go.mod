// The cloud of the test providers: a folder of JSON files.
module terrane.test/peers/cloud

go 1.25.0
