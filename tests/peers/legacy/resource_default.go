package main

import (
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// defaults has static defaults of each type and defaults that the environment
// decides.
func defaults() *schema.Resource {
	return managed(kind{name: "legacy_default", schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":     {Type: schema.TypeString, Optional: true, Default: "fallback", ForceNew: true},
			"text":     {Type: schema.TypeString, Optional: true, Default: "hello"},
			"number":   {Type: schema.TypeInt, Optional: true, Default: 42},
			"ratio":    {Type: schema.TypeFloat, Optional: true, Default: 0.5},
			"enabled":  {Type: schema.TypeBool, Optional: true, Default: true},
			"disabled": {Type: schema.TypeBool, Optional: true, Default: false},
			"region":   {Type: schema.TypeString, Optional: true, DefaultFunc: schema.EnvDefaultFunc("TERRANE_TEST_REGION", "north")},
			"contact":  {Type: schema.TypeString, Required: true, DefaultFunc: schema.MultiEnvDefaultFunc([]string{"TERRANE_TEST_CONTACT", "TERRANE_TEST_OWNER"}, "nobody")},
			"rule":     {Type: schema.TypeList, Optional: true, Elem: ruleBlock()},
		},
	}})
}
