package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// restless never settles: its counter differs at every read, and its target
// never reaches what was asked for.
func restless() *schema.Resource {
	return managed(kind{name: "legacy_restless", seen: seenRestless, schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":    {Type: schema.TypeString, Required: true, ForceNew: true},
			"target":  {Type: schema.TypeInt, Optional: true, Description: "Read back as one less than what was asked for."},
			"counter": {Type: schema.TypeInt, Computed: true},
		},
	}})
}

func seenRestless(_ context.Context, d *schema.ResourceData, c *cloud.Cloud) diag.Diagnostics {
	n, err := c.Count("restless-" + d.Id())
	if err != nil {
		return diag.FromErr(err)
	}
	values := map[string]any{"counter": n}
	if target := d.Get("target").(int); target > 0 {
		values["target"] = target - 1
	}
	return setAll(d, values)
}
