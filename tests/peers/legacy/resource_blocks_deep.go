package main

import (
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// blocksDeep nests list and set blocks in each other, four levels down.
func blocksDeep() *schema.Resource {
	target := &schema.Resource{Schema: map[string]*schema.Schema{
		"address": {Type: schema.TypeString, Required: true},
		"port":    {Type: schema.TypeInt, Optional: true, Default: 443},
		"header":  {Type: schema.TypeSet, Optional: true, Elem: labelBlock()},
	}}
	pool := &schema.Resource{Schema: map[string]*schema.Schema{
		"zone":   {Type: schema.TypeString, Required: true},
		"target": {Type: schema.TypeSet, Optional: true, Elem: target},
		"check": {Type: schema.TypeList, Optional: true, MaxItems: 1, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
			"path":     {Type: schema.TypeString, Optional: true, Default: "/"},
			"interval": {Type: schema.TypeInt, Optional: true, Default: 30},
		}}},
	}}
	listener := &schema.Resource{Schema: map[string]*schema.Schema{
		"port": {Type: schema.TypeInt, Required: true},
		"pool": {Type: schema.TypeList, Optional: true, Elem: pool},
	}}
	return managed(kind{name: "legacy_blocks_deep", schema: &schema.Resource{
		Description: "A load balancer: listeners, pools, targets, headers.",
		Schema: map[string]*schema.Schema{
			"name":     {Type: schema.TypeString, Optional: true, ForceNew: true},
			"listener": {Type: schema.TypeList, Required: true, MinItems: 1, Elem: listener},
		},
	}})
}
