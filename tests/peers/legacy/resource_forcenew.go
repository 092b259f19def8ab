package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// forceNew replaces the object when "engine", "subnet" or "tags" change and
// updates it in place otherwise. It has no name, so old and new can live side
// by side.
func forceNew() *schema.Resource {
	return managed(kind{name: "legacy_forcenew", decide: decideForceNew, schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"engine":   {Type: schema.TypeString, Required: true, ForceNew: true},
			"subnet":   {Type: schema.TypeString, Optional: true, Computed: true, ForceNew: true},
			"tags":     {Type: schema.TypeMap, Optional: true, ForceNew: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"zones":    {Type: schema.TypeSet, Optional: true, ForceNew: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"comment":  {Type: schema.TypeString, Optional: true},
			"endpoint": {Type: schema.TypeString, Computed: true},
		},
	}})
}

func decideForceNew(_ context.Context, d *schema.ResourceData, _ *cloud.Cloud, _ bool) diag.Diagnostics {
	values := map[string]any{"endpoint": d.Get("engine").(string) + ".internal"}
	if d.Get("subnet") == "" {
		values["subnet"] = "subnet-default"
	}
	return setAll(d, values)
}
