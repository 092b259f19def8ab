package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// minimal has no arguments at all.
func minimal() *schema.Resource {
	return managed(kind{name: "legacy_minimal", decide: decideMinimal, schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"created_at": {Type: schema.TypeString, Computed: true},
		},
	}})
}

func decideMinimal(_ context.Context, d *schema.ResourceData, c *cloud.Cloud, _ bool) diag.Diagnostics {
	return setAll(d, map[string]any{"created_at": c.Now()})
}
