package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// inconsistent breaks its promises the way old providers do; core forgives all
// of it because of the legacy type system.
func inconsistent() *schema.Resource {
	return managed(kind{name: "legacy_inconsistent", decide: decideInconsistent, schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name": {Type: schema.TypeString, Required: true, ForceNew: true},
			"mode": {Type: schema.TypeString, Optional: true, Description: "honest, change (another text than planned) or drop (no text at all)."},
			"text": {Type: schema.TypeString, Optional: true},
		},
	}})
}

func decideInconsistent(_ context.Context, d *schema.ResourceData, _ *cloud.Cloud, _ bool) diag.Diagnostics {
	return breakPromise(d)
}

func breakPromise(d *schema.ResourceData) diag.Diagnostics {
	switch d.Get("mode") {
	case "change":
		return setAll(d, map[string]any{"text": d.Get("text").(string) + " (changed)"})
	case "drop":
		return setAll(d, map[string]any{"text": ""})
	}
	return nil
}

// strict does the same, but asks the SDK to be judged like a modern provider.
func strict() *schema.Resource {
	return managed(kind{
		name:   "legacy_strict",
		decide: decideInconsistent,
		schema: &schema.Resource{
			EnableLegacyTypeSystemApplyErrors: true,
			EnableLegacyTypeSystemPlanErrors:  true,
			Schema: map[string]*schema.Schema{
				"name": {Type: schema.TypeString, Required: true, ForceNew: true},
				"mode": {Type: schema.TypeString, Optional: true},
				"text": {Type: schema.TypeString, Optional: true},
			},
		},
	})
}
