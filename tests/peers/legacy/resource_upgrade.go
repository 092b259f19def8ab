package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// upgrade is at version 2 of its schema. Version 0 had "size" as text and
// "tags" as "a=1,b=2"; version 1 made size a number; version 2 made tags a map
// and renamed "owner" to "contact".
func upgrade() *schema.Resource {
	return managed(kind{name: "legacy_upgrade", schema: &schema.Resource{
		SchemaVersion: 2,
		StateUpgraders: []schema.StateUpgrader{
			{Version: 0, Type: typeV0(), Upgrade: upgradeV0},
			{Version: 1, Type: typeV1(), Upgrade: upgradeV1},
		},
		Schema: map[string]*schema.Schema{
			"name":    {Type: schema.TypeString, Required: true, ForceNew: true},
			"size":    {Type: schema.TypeInt, Optional: true},
			"tags":    {Type: schema.TypeMap, Optional: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"contact": {Type: schema.TypeString, Optional: true},
		},
	}})
}

func typeV0() cty.Type {
	return cty.Object(map[string]cty.Type{
		"id": cty.String, "name": cty.String, "size": cty.String, "tags": cty.String, "owner": cty.String,
	})
}

func typeV1() cty.Type {
	return cty.Object(map[string]cty.Type{
		"id": cty.String, "name": cty.String, "size": cty.Number, "tags": cty.String, "owner": cty.String,
	})
}

func upgradeV0(_ context.Context, raw map[string]any, _ any) (map[string]any, error) {
	size, _ := raw["size"].(string)
	raw["size"] = nil
	if size != "" {
		var n int
		if _, err := fmt.Sscanf(size, "%d", &n); err != nil {
			return nil, fmt.Errorf("size %q in a state of version 0 is no number", size)
		}
		raw["size"] = n
	}
	return raw, nil
}

func upgradeV1(_ context.Context, raw map[string]any, _ any) (map[string]any, error) {
	tags := map[string]any{}
	text, _ := raw["tags"].(string)
	for pair := range strings.SplitSeq(text, ",") {
		if k, v, ok := strings.Cut(pair, "="); ok {
			tags[k] = v
		}
	}
	raw["tags"] = tags
	raw["contact"] = raw["owner"]
	delete(raw, "owner")
	return raw, nil
}
