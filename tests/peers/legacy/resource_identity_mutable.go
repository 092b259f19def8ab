package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// identityMutable may be renamed in place: its identity changes with it.
func identityMutable() *schema.Resource {
	set := func(_ context.Context, d *schema.ResourceData, _ *cloud.Cloud) diag.Diagnostics {
		id, err := d.Identity()
		if err != nil {
			return diag.FromErr(err)
		}
		if err := id.Set("address", d.Get("address")); err != nil {
			return diag.FromErr(err)
		}
		return nil
	}
	return managed(kind{name: "legacy_identity_mutable", seen: set, schema: &schema.Resource{
		ResourceBehavior: schema.ResourceBehavior{MutableIdentity: true},
		Schema: map[string]*schema.Schema{
			"name":    {Type: schema.TypeString, Required: true, ForceNew: true},
			"address": {Type: schema.TypeString, Required: true},
		},
		Identity: &schema.ResourceIdentity{
			SchemaFunc: func() map[string]*schema.Schema {
				return map[string]*schema.Schema{"address": {Type: schema.TypeString, RequiredForImport: true}}
			},
		},
	}})
}
