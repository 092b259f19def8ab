package main

import (
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// blocksAsAttributes uses ConfigMode "attribute": what looks like a block in
// the provider's code is an attribute of type list(object) on the wire.
func blocksAsAttributes() *schema.Resource {
	entry := &schema.Resource{Schema: map[string]*schema.Schema{
		"cidr":        {Type: schema.TypeString, Optional: true},
		"description": {Type: schema.TypeString, Optional: true},
		"ports":       {Type: schema.TypeList, Optional: true, Elem: &schema.Schema{Type: schema.TypeInt}},
	}}
	return managed(kind{name: "legacy_blocks_as_attrs", schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name": {Type: schema.TypeString, Optional: true, ForceNew: true},
			"ingress": {
				Type: schema.TypeList, Optional: true, ConfigMode: schema.SchemaConfigModeAttr, Elem: entry,
			},
			"egress": {
				Type: schema.TypeSet, Optional: true, Computed: true, ConfigMode: schema.SchemaConfigModeAttr, Elem: entry,
			},
		},
	}})
}
