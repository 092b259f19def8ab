package main

import (
	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/validation"

	"terrane.test/peers/cloud"
)

// writeOnly has a secret that reaches the cloud but never the state; another
// number in "password_wo_version" sends it again. "password" is the old way,
// which warns where the new one is possible.
func writeOnly() *schema.Resource {
	return managed(kind{name: "legacy_writeonly", secret: secretWriteOnly, schema: &schema.Resource{
		ValidateRawResourceConfigFuncs: []schema.ValidateRawResourceConfigFunc{
			validation.PreferWriteOnlyAttribute(cty.GetAttrPath("password"), cty.GetAttrPath("password_wo")),
		},
		Schema: map[string]*schema.Schema{
			"name":                {Type: schema.TypeString, Required: true, ForceNew: true},
			"password":            {Type: schema.TypeString, Optional: true, Sensitive: true, ConflictsWith: []string{"password_wo"}},
			"password_wo":         {Type: schema.TypeString, Optional: true, WriteOnly: true, ConflictsWith: []string{"password"}},
			"password_wo_version": {Type: schema.TypeInt, Optional: true, RequiredWith: []string{"password_wo"}},
			"pin_wo":              {Type: schema.TypeInt, Optional: true, WriteOnly: true},
			"agree_wo":            {Type: schema.TypeBool, Optional: true, WriteOnly: true},
		},
	}})
}

// secretWriteOnly reads the configuration: plan and state never have the value.
func secretWriteOnly(d *schema.ResourceData, o cloud.Object) {
	for _, name := range []string{"password_wo", "pin_wo", "agree_wo"} {
		if v, diags := d.GetRawConfigAt(cty.GetAttrPath(name)); !diags.HasError() {
			putSecret(o, name, v)
		}
	}
}

func putSecret(o cloud.Object, name string, v cty.Value) {
	switch {
	case v.IsNull() || !v.IsKnown():
	case v.Type() == cty.String:
		o[name] = v.AsString()
	case v.Type() == cty.Bool:
		o[name] = v.True()
	case v.Type() == cty.Number:
		o[name] = v.AsBigFloat().Text('f', -1)
	}
}
