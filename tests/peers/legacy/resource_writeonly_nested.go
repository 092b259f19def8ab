package main

import (
	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// writeOnlyNested has write-only arguments in list blocks, two levels down.
// Replacing follows the version: the SDK allows no ForceNew on the secret.
func writeOnlyNested() *schema.Resource {
	key := &schema.Resource{Schema: map[string]*schema.Schema{
		"title":     {Type: schema.TypeString, Required: true},
		"secret_wo": {Type: schema.TypeString, Optional: true, WriteOnly: true},
	}}
	login := &schema.Resource{Schema: map[string]*schema.Schema{
		"user":        {Type: schema.TypeString, Required: true},
		"password_wo": {Type: schema.TypeString, Required: true, WriteOnly: true},
		"key":         {Type: schema.TypeList, Optional: true, Elem: key},
	}}
	return managed(kind{name: "legacy_writeonly_nested", secret: secretNested, schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"login":   {Type: schema.TypeList, Required: true, MaxItems: 1, Elem: login},
			"version": {Type: schema.TypeInt, Required: true, ForceNew: true},
			"comment": {Type: schema.TypeString, Optional: true},
		},
	}})
}

func secretNested(d *schema.ResourceData, o cloud.Object) {
	v, diags := d.GetRawConfigAt(cty.GetAttrPath("login").IndexInt(0).GetAttr("password_wo"))
	if !diags.HasError() {
		putSecret(o, "login_password_wo", v)
	}
}
