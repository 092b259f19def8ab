package main

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// identity has a resource identity of several attributes; version 1 of it
// renamed "account" to "account_id".
func identity() *schema.Resource {
	return managed(kind{name: "legacy_identity", after: afterIdentity, seen: seenIdentity, schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":       {Type: schema.TypeString, Required: true, ForceNew: true},
			"region":     {Type: schema.TypeString, Optional: true, Default: "north", ForceNew: true},
			"account_id": {Type: schema.TypeInt, Optional: true, Default: 1000, ForceNew: true},
			"text":       {Type: schema.TypeString, Optional: true},
		},
		Identity: &schema.ResourceIdentity{
			Version:    1,
			SchemaFunc: identitySchema,
			IdentityUpgraders: []schema.IdentityUpgrader{{
				Version: 0,
				Type: tftypes.Object{AttributeTypes: map[string]tftypes.Type{
					"name": tftypes.String, "region": tftypes.String, "account": tftypes.Number,
				}},
				Upgrade: func(_ context.Context, raw map[string]any, _ any) (map[string]any, error) {
					raw["account_id"] = raw["account"]
					delete(raw, "account")
					return raw, nil
				},
			}},
		},
		Importer: &schema.ResourceImporter{StateContext: importIdentity},
	}})
}

func identitySchema() map[string]*schema.Schema {
	return map[string]*schema.Schema{
		"name":       {Type: schema.TypeString, RequiredForImport: true, Description: "The name."},
		"region":     {Type: schema.TypeString, OptionalForImport: true, Description: "The region, north if unset."},
		"account_id": {Type: schema.TypeInt, OptionalForImport: true},
	}
}

func afterIdentity(ctx context.Context, d *schema.ResourceData, c *cloud.Cloud, _ bool) diag.Diagnostics {
	return seenIdentity(ctx, d, c)
}

func seenIdentity(_ context.Context, d *schema.ResourceData, _ *cloud.Cloud) diag.Diagnostics {
	id, err := d.Identity()
	if err != nil {
		return diag.FromErr(err)
	}
	for _, key := range []string{"name", "region", "account_id"} {
		if err := id.Set(key, d.Get(key)); err != nil {
			return diag.FromErr(err)
		}
	}
	return nil
}

// importIdentity takes an id or an identity.
func importIdentity(_ context.Context, d *schema.ResourceData, _ any) ([]*schema.ResourceData, error) {
	if d.Id() != "" {
		return []*schema.ResourceData{d}, nil
	}
	id, err := d.Identity()
	if err != nil {
		return nil, err
	}
	name, ok := id.GetOk("name")
	if !ok {
		return nil, fmt.Errorf("the identity has no name")
	}
	d.SetId(name.(string))
	return []*schema.ResourceData{d}, nil
}
