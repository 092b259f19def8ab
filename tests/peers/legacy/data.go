package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// The data sources.

// dataObject reads any object of the folder as JSON text.
func dataObject() *schema.Resource {
	return &schema.Resource{
		Description: "Any object of the cloud, as JSON.",
		ReadContext: func(_ context.Context, d *schema.ResourceData, m any) diag.Diagnostics {
			o, err := m.(*cloud.Cloud).Read(d.Get("type").(string), d.Get("name").(string))
			if err != nil {
				return diag.FromErr(err)
			}
			text, err := json.Marshal(o)
			if err != nil {
				return diag.FromErr(err)
			}
			d.SetId(d.Get("type").(string) + "/" + d.Get("name").(string))
			return setAll(d, map[string]any{"json": string(text)})
		},
		Schema: map[string]*schema.Schema{
			"type": {Type: schema.TypeString, Required: true},
			"name": {Type: schema.TypeString, Required: true},
			"json": {Type: schema.TypeString, Computed: true},
		},
	}
}

// dataFolder lists the objects of one type, with a block as a filter.
func dataFolder() *schema.Resource {
	return &schema.Resource{
		ReadContext: readFolder,
		Schema: map[string]*schema.Schema{
			"type": {Type: schema.TypeString, Required: true},
			"filter": {Type: schema.TypeSet, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"pattern": {Type: schema.TypeString, Required: true},
			}}},
			"ids": {Type: schema.TypeList, Computed: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"objects": {Type: schema.TypeList, Computed: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"id":   {Type: schema.TypeString, Computed: true},
				"file": {Type: schema.TypeString, Computed: true},
			}}},
		},
	}
}

func readFolder(_ context.Context, d *schema.ResourceData, m any) diag.Diagnostics {
	typeName := d.Get("type").(string)
	all, err := m.(*cloud.Cloud).List(typeName)
	if err != nil {
		return diag.FromErr(err)
	}
	var ids, objects []any
	for _, id := range all {
		if !matches(id, d.Get("filter").(*schema.Set).List()) {
			continue
		}
		ids = append(ids, id)
		objects = append(objects, map[string]any{"id": id, "file": typeName + "/" + id + ".json"})
	}
	d.SetId(typeName)
	return setAll(d, map[string]any{"ids": ids, "objects": objects})
}

func matches(id string, filters []any) bool {
	for _, f := range filters {
		if ok, _ := filepath.Match(f.(map[string]any)["pattern"].(string), id); !ok {
			return false
		}
	}
	return true
}

// dataFailing fails, or ends the process, as asked.
func dataFailing() *schema.Resource {
	return &schema.Resource{
		DeprecationMessage: "nobody needs a data source that fails",
		ReadContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			d.SetId("failing")
			switch d.Get("how") {
			case "error":
				return diag.Diagnostics{{Severity: diag.Error, Summary: "Failed on demand", AttributePath: path("how")}}
			case "panic":
				panic("failed on demand")
			case "exit":
				os.Exit(1)
			}
			return nil
		},
		Schema: map[string]*schema.Schema{
			"how": {Type: schema.TypeString, Required: true},
		},
	}
}

// dataNetwork has the name of a resource type, as most data sources do.
func dataNetwork() *schema.Resource {
	k := kind{name: "legacy_network", schema: &schema.Resource{Schema: map[string]*schema.Schema{
		"name": {Type: schema.TypeString, Required: true},
		"cidr": {Type: schema.TypeString, Computed: true},
		"arn":  {Type: schema.TypeString, Computed: true},
		"tags": {Type: schema.TypeMap, Computed: true, Elem: &schema.Schema{Type: schema.TypeString}},
	}}}
	k.schema.ReadContext = func(ctx context.Context, d *schema.ResourceData, m any) diag.Diagnostics {
		d.SetId(d.Get("name").(string))
		diags := k.load(ctx, d, m.(*cloud.Cloud))
		if d.Id() == "" && !diags.HasError() {
			return diag.Errorf("there is no network of this name")
		}
		return diags
	}
	return k.schema
}
