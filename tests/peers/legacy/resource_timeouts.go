package main

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// timeouts has the SDK's timeouts block; "takes" is how long a create or an
// update lasts, so a short timeout really strikes.
func timeouts() *schema.Resource {
	return managed(kind{name: "legacy_timeouts", decide: decideTimeouts, schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":  {Type: schema.TypeString, Required: true, ForceNew: true},
			"takes": {Type: schema.TypeString, Optional: true, Default: "0s"},
		},
		Timeouts: &schema.ResourceTimeout{
			Create:  schema.DefaultTimeout(20 * time.Minute),
			Read:    schema.DefaultTimeout(1 * time.Minute),
			Update:  schema.DefaultTimeout(10 * time.Minute),
			Delete:  schema.DefaultTimeout(10 * time.Minute),
			Default: schema.DefaultTimeout(5 * time.Minute),
		},
	}})
}

func decideTimeouts(ctx context.Context, d *schema.ResourceData, _ *cloud.Cloud, _ bool) diag.Diagnostics {
	wait, err := time.ParseDuration(d.Get("takes").(string))
	if err != nil {
		return diag.FromErr(err)
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return diag.FromErr(ctx.Err())
	}
}
