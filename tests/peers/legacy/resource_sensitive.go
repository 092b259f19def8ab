package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// sensitive has secrets as argument, as result, in collections and in blocks.
func sensitive() *schema.Resource {
	return managed(kind{name: "legacy_sensitive", decide: decideSensitive, schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":     {Type: schema.TypeString, Required: true, ForceNew: true},
			"password": {Type: schema.TypeString, Required: true, Sensitive: true},
			"pin":      {Type: schema.TypeInt, Optional: true, Sensitive: true},
			"tokens":   {Type: schema.TypeList, Optional: true, Sensitive: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"secrets":  {Type: schema.TypeMap, Optional: true, Sensitive: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"api_key":  {Type: schema.TypeString, Computed: true, Sensitive: true},
			"seed":     {Type: schema.TypeString, Optional: true, Sensitive: true, ForceNew: true},
			"credential": {Type: schema.TypeList, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"user":     {Type: schema.TypeString, Required: true},
				"password": {Type: schema.TypeString, Required: true, Sensitive: true},
			}}},
			"vault": {Type: schema.TypeSet, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"path": {Type: schema.TypeString, Required: true},
				"key":  {Type: schema.TypeString, Optional: true, Sensitive: true},
			}}},
		},
	}})
}

func decideSensitive(_ context.Context, d *schema.ResourceData, _ *cloud.Cloud, _ bool) diag.Diagnostics {
	return setAll(d, map[string]any{"api_key": "key-" + d.Get("name").(string)})
}
