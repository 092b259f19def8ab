package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/validation"

	"terrane.test/peers/cloud"
)

// network is what servers refer to.
func network() *schema.Resource {
	return managed(kind{name: "legacy_network", decide: decideNetwork, schema: &schema.Resource{
		Description: "A network that servers are attached to.",
		Schema: map[string]*schema.Schema{
			"name":        {Type: schema.TypeString, Required: true, ForceNew: true},
			"cidr":        {Type: schema.TypeString, Required: true, ForceNew: true, ValidateFunc: validation.IsCIDR},
			"description": {Type: schema.TypeString, Optional: true},
			"tags":        {Type: schema.TypeMap, Optional: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"arn":         {Type: schema.TypeString, Computed: true},
			"gateway":     {Type: schema.TypeString, Computed: true},
		},
	}})
}

func decideNetwork(_ context.Context, d *schema.ResourceData, _ *cloud.Cloud, _ bool) diag.Diagnostics {
	return setAll(d, map[string]any{
		"arn":     "arn:legacy:network/" + d.Get("name").(string),
		"gateway": "10.0.0.254",
	})
}
