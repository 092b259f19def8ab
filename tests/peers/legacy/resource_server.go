package main

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/validation"

	"terrane.test/peers/cloud"
)

// server is a plausible whole: references, nested blocks, tags, computed
// addresses, a replacing and several updating arguments.
func server() *schema.Resource {
	return managed(kind{name: "legacy_server", decide: decideServer, schema: &schema.Resource{
		Description: "A virtual server.",
		Schema: map[string]*schema.Schema{
			"name":       {Type: schema.TypeString, Required: true, ForceNew: true, ValidateFunc: validation.StringLenBetween(1, 63)},
			"image":      {Type: schema.TypeString, Required: true, ForceNew: true},
			"size":       {Type: schema.TypeString, Optional: true, Default: "small", ValidateFunc: validation.StringInSlice([]string{"small", "medium", "large"}, false)},
			"network_id": {Type: schema.TypeString, Optional: true, ForceNew: true},
			"user_data":  {Type: schema.TypeString, Optional: true, StateFunc: func(v any) string { return checksum(v.(string)) }},
			"tags":       {Type: schema.TypeMap, Optional: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"tags_all":   {Type: schema.TypeMap, Computed: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"firewalls":  {Type: schema.TypeSet, Optional: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"arn":        {Type: schema.TypeString, Computed: true},
			"address":    {Type: schema.TypeString, Computed: true},
			"disk": {Type: schema.TypeList, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"size":      {Type: schema.TypeInt, Required: true, ValidateFunc: validation.IntAtLeast(1)},
				"type":      {Type: schema.TypeString, Optional: true, Default: "ssd", ForceNew: true},
				"encrypted": {Type: schema.TypeBool, Optional: true, Default: true},
				"device":    {Type: schema.TypeString, Computed: true},
			}}},
			"options": {Type: schema.TypeList, Optional: true, MaxItems: 1, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"monitoring": {Type: schema.TypeBool, Optional: true},
				"cpu_limit":  {Type: schema.TypeFloat, Optional: true},
			}}},
		},
		CustomizeDiff: planServer,
	}})
}

// planServer keeps tags_all in step with tags, so that a plan shows it.
func planServer(_ context.Context, d *schema.ResourceDiff, _ any) error {
	if !d.NewValueKnown("tags") {
		return d.SetNewComputed("tags_all")
	}
	return d.SetNew("tags_all", allTags(d.Get("tags")))
}

func allTags(tags any) map[string]any {
	all := map[string]any{"managed": "yes"}
	for k, v := range tags.(map[string]any) {
		all[k] = v
	}
	return all
}

func decideServer(_ context.Context, d *schema.ResourceData, c *cloud.Cloud, _ bool) diag.Diagnostics {
	if id := d.Get("network_id").(string); id != "" {
		if _, err := c.Read("legacy_network", id); err != nil {
			return diag.FromErr(err)
		}
	}
	disks := d.Get("disk").([]any)
	for i, v := range disks {
		v.(map[string]any)["device"] = fmt.Sprintf("/dev/sd%c", 'a'+i)
	}
	return setAll(d, map[string]any{
		"arn":      "arn:legacy:server/" + d.Get("name").(string),
		"address":  "10.0.0.7",
		"tags_all": allTags(d.Get("tags")),
		"disk":     disks,
	})
}
