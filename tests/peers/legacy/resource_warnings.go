package main

import (
	"context"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// warnings warns at every step, with and without a path, and works.
func warnings() *schema.Resource {
	warn := func(summary string, p cty.Path) diag.Diagnostics {
		return diag.Diagnostics{{Severity: diag.Warning, Summary: summary, Detail: "This is only a warning.", AttributePath: p}}
	}
	return managed(kind{
		name: "legacy_warnings",
		decide: func(_ context.Context, _ *schema.ResourceData, _ *cloud.Cloud, isNew bool) diag.Diagnostics {
			if isNew {
				return warn("Warned while creating", path("text"))
			}
			return warn("Warned while updating", cty.GetAttrPath("rule").IndexInt(0).GetAttr("port"))
		},
		seen: func(_ context.Context, _ *schema.ResourceData, _ *cloud.Cloud) diag.Diagnostics {
			return warn("Warned while reading", nil)
		},
		schema: &schema.Resource{Schema: map[string]*schema.Schema{
			"name": {Type: schema.TypeString, Required: true, ForceNew: true},
			"text": {Type: schema.TypeString, Optional: true},
			"rule": {Type: schema.TypeList, Optional: true, Elem: ruleBlock()},
		}},
	})
}
