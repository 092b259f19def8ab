package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// customDiff decides values while planning: a checksum that is known before
// apply, a version that becomes unknown when something else changes, and a
// change that is refused.
func customDiff() *schema.Resource {
	return managed(kind{name: "legacy_customdiff", decide: decideCustomDiff, schema: &schema.Resource{
		CustomizeDiff: planCustomDiff,
		Schema: map[string]*schema.Schema{
			"name":     {Type: schema.TypeString, Required: true, ForceNew: true},
			"content":  {Type: schema.TypeString, Required: true},
			"capacity": {Type: schema.TypeInt, Optional: true, Default: 1, Description: "May only grow."},
			"checksum": {Type: schema.TypeString, Computed: true, Description: "Known while planning."},
			"version":  {Type: schema.TypeInt, Computed: true, Description: "Unknown while planning when the content changes."},
			"note":     {Type: schema.TypeString, Optional: true},
		},
	}})
}

func planCustomDiff(_ context.Context, d *schema.ResourceDiff, _ any) error {
	if before, after := d.GetChange("capacity"); d.Id() != "" && after.(int) < before.(int) {
		return errors.New("the capacity may only grow")
	}
	if !d.NewValueKnown("content") {
		return d.SetNewComputed("checksum")
	}
	if d.Id() != "" && !d.HasChange("content") {
		return nil
	}
	if err := d.SetNew("checksum", checksum(d.Get("content").(string))); err != nil {
		return err
	}
	return d.SetNewComputed("version")
}

func decideCustomDiff(_ context.Context, d *schema.ResourceData, _ *cloud.Cloud, isNew bool) diag.Diagnostics {
	if !isNew && !d.HasChange("content") {
		return nil
	}
	before, _ := d.GetChange("version")
	return setAll(d, map[string]any{
		"checksum": checksum(d.Get("content").(string)),
		"version":  before.(int) + 1,
	})
}

// checksum only has to be stable and short.
func checksum(s string) string {
	sum := 0
	for _, b := range []byte(s) {
		sum = (sum*31 + int(b)) % 1000003
	}
	return fmt.Sprintf("%06d", sum)
}
