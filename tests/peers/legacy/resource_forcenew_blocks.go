package main

import (
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// forceNewBlocks replaces the object for changes within blocks, or of whole
// blocks.
func forceNewBlocks() *schema.Resource {
	return managed(kind{name: "legacy_forcenew_blocks", schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"comment": {Type: schema.TypeString, Optional: true},
			"disk": {Type: schema.TypeList, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"image": {Type: schema.TypeString, Required: true, ForceNew: true},
				"size":  {Type: schema.TypeInt, Optional: true},
			}}},
			"placement": {Type: schema.TypeSet, Optional: true, ForceNew: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"zone": {Type: schema.TypeString, Required: true, ForceNew: true},
				"rack": {Type: schema.TypeInt, Optional: true, ForceNew: true},
			}}},
		},
	}})
}
