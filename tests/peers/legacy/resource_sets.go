package main

import (
	"context"
	"hash/fnv"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// sets has sets of objects: with defaults, with values the cloud adds, within
// lists, and with a hash of its own that looks at one key only.
func sets() *schema.Resource {
	return managed(kind{name: "legacy_sets", decide: decideSets, schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name": {Type: schema.TypeString, Required: true, ForceNew: true},
			"rule": {Type: schema.TypeSet, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"from":     {Type: schema.TypeInt, Required: true},
				"to":       {Type: schema.TypeInt, Required: true},
				"protocol": {Type: schema.TypeString, Optional: true, Default: "tcp"},
				"cidrs":    {Type: schema.TypeSet, Optional: true, Elem: &schema.Schema{Type: schema.TypeString}},
			}}},
			"user": {Type: schema.TypeSet, Optional: true, Set: hashUser, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"login": {Type: schema.TypeString, Required: true},
				"role":  {Type: schema.TypeString, Optional: true},
				"uid":   {Type: schema.TypeString, Computed: true},
			}}},
			"group": {Type: schema.TypeList, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"title":  {Type: schema.TypeString, Required: true},
				"member": {Type: schema.TypeSet, Optional: true, Elem: labelBlock()},
			}}},
		},
	}})
}

// hashUser makes two users with one login the same element.
func hashUser(v any) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(v.(map[string]any)["login"].(string)))
	return int(h.Sum32() & 0x7fffffff)
}

func decideSets(_ context.Context, d *schema.ResourceData, _ *cloud.Cloud, _ bool) diag.Diagnostics {
	users := d.Get("user").(*schema.Set).List()
	for _, v := range users {
		user := v.(map[string]any)
		user["uid"] = "u-" + user["login"].(string)
	}
	return setAll(d, map[string]any{"user": users})
}
