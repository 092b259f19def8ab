package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/customdiff"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// customDiffReplace decides while planning whether a change forces a new
// object: shrinking does, growing does not.
func customDiffReplace() *schema.Resource {
	return managed(kind{name: "legacy_customdiff_replace", schema: &schema.Resource{
		CustomizeDiff: customdiff.All(
			customdiff.ForceNewIfChange("disk_size", func(_ context.Context, before, after, _ any) bool {
				return after.(int) < before.(int)
			}),
			customdiff.ForceNewIf("engine", func(_ context.Context, d *schema.ResourceDiff, _ any) bool {
				return d.Get("strict").(bool)
			}),
		),
		Schema: map[string]*schema.Schema{
			"label":     {Type: schema.TypeString, Optional: true},
			"disk_size": {Type: schema.TypeInt, Required: true},
			"engine":    {Type: schema.TypeString, Optional: true, Default: "one"},
			"strict":    {Type: schema.TypeBool, Optional: true},
		},
	}})
}
