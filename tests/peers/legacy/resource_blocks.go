package main

import (
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// blocks has the block shapes the SDK knows: list and set, bounded or not, and
// the "at most one" list that stands for a single block.
func blocks() *schema.Resource {
	return managed(kind{name: "legacy_blocks", schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":     {Type: schema.TypeString, Optional: true, ForceNew: true},
			"rule":     {Type: schema.TypeList, Optional: true, Description: "Any number, ordered.", Elem: ruleBlock()},
			"label":    {Type: schema.TypeSet, Optional: true, Description: "Any number, unordered.", Elem: labelBlock()},
			"settings": {Type: schema.TypeList, Optional: true, MaxItems: 1, Elem: settingsBlock()},
			"owner":    {Type: schema.TypeList, Required: true, MinItems: 1, MaxItems: 2, Elem: labelBlock()},
			"zone":     {Type: schema.TypeSet, Optional: true, MinItems: 1, MaxItems: 3, Elem: labelBlock()},
		},
	}})
}

func ruleBlock() *schema.Resource {
	return &schema.Resource{Schema: map[string]*schema.Schema{
		"port":     {Type: schema.TypeInt, Required: true},
		"protocol": {Type: schema.TypeString, Optional: true, Default: "tcp"},
		"sources":  {Type: schema.TypeSet, Optional: true, Elem: &schema.Schema{Type: schema.TypeString}},
		"enabled":  {Type: schema.TypeBool, Optional: true, Default: true},
	}}
}

func labelBlock() *schema.Resource {
	return &schema.Resource{Schema: map[string]*schema.Schema{
		"key":   {Type: schema.TypeString, Required: true},
		"value": {Type: schema.TypeString, Optional: true},
	}}
}

func settingsBlock() *schema.Resource {
	return &schema.Resource{Schema: map[string]*schema.Schema{
		"mode":    {Type: schema.TypeString, Optional: true, Default: "auto"},
		"retries": {Type: schema.TypeInt, Optional: true},
		"weights": {Type: schema.TypeMap, Optional: true, Elem: &schema.Schema{Type: schema.TypeFloat}},
	}}
}
