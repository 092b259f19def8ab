package main

import (
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// deprecated has a deprecated argument, a deprecated block and a deprecated
// argument within a block.
func deprecated() *schema.Resource {
	return managed(kind{name: "legacy_deprecated", schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":     {Type: schema.TypeString, Required: true, ForceNew: true},
			"size":     {Type: schema.TypeString, Optional: true, Deprecated: "use \"capacity\"", ConflictsWith: []string{"capacity"}},
			"capacity": {Type: schema.TypeInt, Optional: true},
			"rule":     {Type: schema.TypeList, Optional: true, Deprecated: "use \"policy\"", Elem: ruleBlock()},
			"policy": {Type: schema.TypeList, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"action": {Type: schema.TypeString, Required: true},
				"effect": {Type: schema.TypeString, Optional: true, Deprecated: "every policy allows"},
			}}},
			"legacy_id": {Type: schema.TypeString, Computed: true, Deprecated: "use \"id\""},
		},
	}})
}

// deprecatedWhole is a resource type that warns wherever it is used.
func deprecatedWhole() *schema.Resource {
	return managed(kind{name: "legacy_deprecated_whole", schema: &schema.Resource{
		DeprecationMessage: "use legacy_deprecated, which lives longer",
		Schema: map[string]*schema.Schema{
			"name": {Type: schema.TypeString, Required: true, ForceNew: true},
			"text": {Type: schema.TypeString, Optional: true},
		},
	}})
}
