package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// meta remembers which module made it, by provider_meta.
func meta() *schema.Resource {
	return managed(kind{name: "legacy_meta", decide: decideMeta, schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":    {Type: schema.TypeString, Required: true, ForceNew: true},
			"text":    {Type: schema.TypeString, Optional: true},
			"made_by": {Type: schema.TypeString, Computed: true},
		},
	}})
}

func decideMeta(_ context.Context, d *schema.ResourceData, _ *cloud.Cloud, isNew bool) diag.Diagnostics {
	var m struct {
		ModuleName string `cty:"module_name"`
	}
	if !isNew {
		return nil
	}
	// No provider_meta block at all is an error of the decoder, and no news.
	if err := d.GetProviderMeta(&m); err != nil || m.ModuleName == "" {
		m.ModuleName = "nobody"
	}
	return setAll(d, map[string]any{"made_by": m.ModuleName})
}
