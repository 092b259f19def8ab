package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// importComposite is imported as REGION/NAME, as many real types are.
func importComposite() *schema.Resource {
	return managed(kind{name: "legacy_import_composite", schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":   {Type: schema.TypeString, Required: true, ForceNew: true},
			"region": {Type: schema.TypeString, Required: true, ForceNew: true},
			"text":   {Type: schema.TypeString, Optional: true},
		},
		Importer: &schema.ResourceImporter{StateContext: importRegionName},
	}})
}

func importRegionName(_ context.Context, d *schema.ResourceData, _ any) ([]*schema.ResourceData, error) {
	region, name, ok := strings.Cut(d.Id(), "/")
	if !ok || region == "" || name == "" {
		return nil, fmt.Errorf("unexpected format of id %q: REGION/NAME is expected", d.Id())
	}
	d.SetId(name)
	if err := d.Set("region", region); err != nil {
		return nil, err
	}
	return []*schema.ResourceData{d}, d.Set("name", name)
}
