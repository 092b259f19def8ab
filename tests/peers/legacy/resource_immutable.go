package main

import (
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// immutable has no update at all: every argument forces a new object.
func immutable() *schema.Resource {
	return managed(kind{name: "legacy_immutable", schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"keepers": {Type: schema.TypeMap, Optional: true, ForceNew: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"length":  {Type: schema.TypeInt, Required: true, ForceNew: true},
			"prefix":  {Type: schema.TypeString, Optional: true, ForceNew: true},
		},
	}})
}
