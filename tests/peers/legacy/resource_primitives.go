package main

import (
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// primitives has one argument of each primitive type, required and optional.
// "enabled" and "count_of" show the SDK's trouble with zero values.
func primitives() *schema.Resource {
	return managed(kind{name: "legacy_primitives", schema: &schema.Resource{
		Description: "One argument of each primitive type.",
		Schema: map[string]*schema.Schema{
			"name":     {Type: schema.TypeString, Required: true, ForceNew: true, Description: "The name, which is also the id."},
			"text":     {Type: schema.TypeString, Optional: true, Description: "Any text."},
			"enabled":  {Type: schema.TypeBool, Optional: true},
			"count_of": {Type: schema.TypeInt, Optional: true},
			"ratio":    {Type: schema.TypeFloat, Optional: true},
			"port":     {Type: schema.TypeInt, Required: true},
			"public":   {Type: schema.TypeBool, Required: true},
			"weight":   {Type: schema.TypeFloat, Required: true},
		},
	}})
}
