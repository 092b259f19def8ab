package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// partial gets half way: the object is created (and will be tainted), or the
// update saves one argument and loses the other.
func partial() *schema.Resource {
	return managed(kind{name: "legacy_partial", after: afterPartial, schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":   {Type: schema.TypeString, Required: true, ForceNew: true},
			"break":  {Type: schema.TypeString, Optional: true, Description: "create, or update, or empty"},
			"first":  {Type: schema.TypeString, Optional: true},
			"second": {Type: schema.TypeString, Optional: true},
		},
	}})
}

func afterPartial(_ context.Context, d *schema.ResourceData, _ *cloud.Cloud, isNew bool) diag.Diagnostics {
	if isNew && d.Get("break") == "create" {
		return diag.Errorf("created, but not ready")
	}
	if !isNew && d.Get("break") == "update" {
		before, _ := d.GetChange("second")
		diags := setAll(d, map[string]any{"second": before})
		return append(diags, diag.Diagnostic{
			Severity:      diag.Error,
			Summary:       "The second argument was not updated",
			AttributePath: path("second"),
		})
	}
	return nil
}
