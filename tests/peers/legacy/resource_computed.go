package main

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// computed has values the cloud chooses: once, at every change, or only where
// the user does not.
func computed() *schema.Resource {
	return managed(kind{name: "legacy_computed", decide: decideComputed, schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":       {Type: schema.TypeString, Required: true, ForceNew: true},
			"size":       {Type: schema.TypeInt, Optional: true, Default: 1},
			"zone":       {Type: schema.TypeString, Optional: true, Computed: true, Description: "Chosen by the cloud when unset."},
			"aliases":    {Type: schema.TypeSet, Optional: true, Computed: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"arn":        {Type: schema.TypeString, Computed: true},
			"created_at": {Type: schema.TypeString, Computed: true},
			"revision":   {Type: schema.TypeInt, Computed: true},
			"ready":      {Type: schema.TypeBool, Computed: true},
			"load":       {Type: schema.TypeFloat, Computed: true},
			"addresses":  {Type: schema.TypeList, Computed: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"labels":     {Type: schema.TypeMap, Computed: true, Elem: &schema.Schema{Type: schema.TypeString}},
		},
	}})
}

func decideComputed(_ context.Context, d *schema.ResourceData, c *cloud.Cloud, isNew bool) diag.Diagnostics {
	name := d.Get("name").(string)
	values := map[string]any{
		"arn":      "arn:legacy:" + name,
		"revision": d.Get("revision").(int) + 1,
		"ready":    true,
		"load":     0.25,
		"labels":   map[string]any{"name": name, "upper": strings.ToUpper(name)},
	}
	if isNew {
		values["created_at"] = c.Now()
		values["addresses"] = []any{"10.0.0.1", "10.0.0.2"}
	}
	if d.Get("zone") == "" {
		values["zone"] = "zone-a"
	}
	if d.Get("aliases").(*schema.Set).Len() == 0 {
		values["aliases"] = []any{name + ".internal"}
	}
	return setAll(d, values)
}

func setAll(d *schema.ResourceData, values map[string]any) diag.Diagnostics {
	for k, v := range values {
		if err := d.Set(k, v); err != nil {
			return diag.FromErr(err)
		}
	}
	return nil
}
