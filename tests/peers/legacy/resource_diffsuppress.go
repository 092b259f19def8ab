package main

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/validation"

	"terrane.test/peers/cloud"
)

// diffSuppress hides differences that mean nothing: letter case, the order of
// JSON keys, and (also while reading) a trailing dot.
func diffSuppress() *schema.Resource {
	return managed(kind{name: "legacy_diffsuppress", decide: decideDiffSuppress, schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":    {Type: schema.TypeString, Required: true, ForceNew: true},
			"email":   {Type: schema.TypeString, Optional: true, DiffSuppressFunc: sameFold},
			"policy":  {Type: schema.TypeString, Optional: true, DiffSuppressFunc: sameJSON, ValidateFunc: validation.StringIsJSON},
			"domain":  {Type: schema.TypeString, Optional: true, DiffSuppressFunc: sameDomain, DiffSuppressOnRefresh: true},
			"comment": {Type: schema.TypeString, Optional: true},
			"rule": {Type: schema.TypeList, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"protocol": {Type: schema.TypeString, Required: true, DiffSuppressFunc: sameFold},
				"port":     {Type: schema.TypeInt, Optional: true},
			}}},
		},
	}})
}

// decideDiffSuppress stores the domain as this cloud spells it.
func decideDiffSuppress(_ context.Context, d *schema.ResourceData, _ *cloud.Cloud, _ bool) diag.Diagnostics {
	domain := d.Get("domain").(string)
	if domain == "" || strings.HasSuffix(domain, ".") {
		return nil
	}
	return setAll(d, map[string]any{"domain": domain + "."})
}

func sameFold(_, before, after string, _ *schema.ResourceData) bool {
	return strings.EqualFold(before, after)
}

func sameDomain(_, before, after string, _ *schema.ResourceData) bool {
	return strings.TrimSuffix(before, ".") == strings.TrimSuffix(after, ".")
}

func sameJSON(_, before, after string, _ *schema.ResourceData) bool {
	var a, b any
	if json.Unmarshal([]byte(before), &a) != nil || json.Unmarshal([]byte(after), &b) != nil {
		return false
	}
	return reflect.DeepEqual(a, b)
}
