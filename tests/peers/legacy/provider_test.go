package main

import "testing"

// The SDK can judge its own schemas; a mistake would else show up as odd plans.
func TestSchemas(t *testing.T) {
	if err := newProvider().InternalValidate(); err != nil {
		t.Fatal(err)
	}
}
