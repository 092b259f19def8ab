package main

import (
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// faulty fails as its argument "fail" says (see the cloud package); every other
// type fails by the provider's argument or the file "faults".
func faulty() *schema.Resource {
	return managed(kind{name: "legacy_faulty", schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name": {Type: schema.TypeString, Required: true, ForceNew: true},
			"fail": {Type: schema.TypeString, Optional: true, Description: "STEP:MOMENT[:KIND[:ARGUMENT]], separated by commas."},
			"text": {Type: schema.TypeString, Optional: true},
		},
	}})
}
