package main

import (
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// importNone can't be imported.
func importNone() *schema.Resource {
	r := managed(kind{name: "legacy_import_none", schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name": {Type: schema.TypeString, Required: true, ForceNew: true},
			"text": {Type: schema.TypeString, Optional: true},
		},
	}})
	r.Importer = nil
	return r
}
