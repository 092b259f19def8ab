// Terraform as a test peer. Its own go.mod replaces modules by folders that are
// in no module: `build` takes the sources from here, checked against go.sum, and
// builds a copy without them.
module terrane.test/peers/terraform

go 1.25

require github.com/hashicorp/terraform v1.14.9
