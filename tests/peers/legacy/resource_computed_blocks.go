package main

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// computedBlocks has blocks the cloud fills, wholly or in part: a computed-only
// block is an attribute on the wire, an optional and computed one too.
func computedBlocks() *schema.Resource {
	return managed(kind{name: "legacy_computed_blocks", decide: decideComputedBlocks, schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name": {Type: schema.TypeString, Required: true, ForceNew: true},
			"disk": {Type: schema.TypeList, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"size":   {Type: schema.TypeInt, Required: true},
				"device": {Type: schema.TypeString, Computed: true},
				"type":   {Type: schema.TypeString, Optional: true, Computed: true},
			}}},
			"interface": {Type: schema.TypeList, Optional: true, Computed: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"network": {Type: schema.TypeString, Optional: true, Computed: true},
				"address": {Type: schema.TypeString, Optional: true, Computed: true},
			}}},
			"endpoint": {Type: schema.TypeList, Computed: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"url":  {Type: schema.TypeString, Computed: true},
				"port": {Type: schema.TypeInt, Computed: true},
			}}},
			"member": {Type: schema.TypeSet, Computed: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"role": {Type: schema.TypeString, Computed: true},
			}}},
		},
	}})
}

func decideComputedBlocks(_ context.Context, d *schema.ResourceData, _ *cloud.Cloud, _ bool) diag.Diagnostics {
	name := d.Get("name").(string)
	disks := d.Get("disk").([]any)
	for i, v := range disks {
		disk := v.(map[string]any)
		disk["device"] = fmt.Sprintf("/dev/sd%c", 'a'+i)
		if disk["type"] == "" {
			disk["type"] = "ssd"
		}
	}
	interfaces := d.Get("interface").([]any)
	if len(interfaces) == 0 {
		interfaces = []any{map[string]any{"network": "default"}}
	}
	for i, v := range interfaces {
		if nic := v.(map[string]any); nic["address"] == nil || nic["address"] == "" {
			nic["address"] = fmt.Sprintf("10.0.0.%d", i+10)
		}
	}
	return setAll(d, map[string]any{
		"disk":      disks,
		"interface": interfaces,
		"endpoint":  []any{map[string]any{"url": "http://" + name + ".internal", "port": 80}},
		"member":    []any{map[string]any{"role": "reader"}, map[string]any{"role": "writer"}},
	})
}
