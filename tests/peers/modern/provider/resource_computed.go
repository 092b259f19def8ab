package provider

import (
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newComputed has values of each type that the cloud chooses: some once, some
// at every change.
func newComputed() resource.Resource {
	return &object{name: "computed", decide: decideComputed, schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"size":       optionalInt(),
			"arn":        computedText(),
			"created_at": computedText(),
			"revision":   schema.Int64Attribute{Computed: true},
			"ready":      schema.BoolAttribute{Computed: true},
			"load":       schema.Float64Attribute{Computed: true},
			"addresses":  schema.ListAttribute{Computed: true, ElementType: types.StringType},
			"zones":      schema.SetAttribute{Computed: true, ElementType: types.StringType},
			"labels":     schema.MapAttribute{Computed: true, ElementType: types.StringType},
			"status": schema.ObjectAttribute{Computed: true, AttributeTypes: map[string]attr.Type{
				"phase": types.StringType, "healthy": types.BoolType,
			}},
			"nothing": computedText(),
		}),
	})}
}

func decideComputed(c *change) {
	name := text(c.next, "name")
	created := c.cloud.Now()
	revision := int64(0)
	if c.prior != nil {
		created = text(c.prior, "created_at")
		n, _ := c.prior["revision"].(json.Number)
		revision, _ = n.Int64()
	}
	c.fill("arn", "arn:modern:"+name)
	c.fill("created_at", created)
	c.fill("revision", int(revision)+1)
	c.fill("load", json.Number("0.25"))
	c.fill("addresses", []any{"10.0.0.1", "10.0.0.2"})
	c.fill("zones", []any{"b", "a"})
	c.fill("labels", map[string]any{"name": name, "upper": strings.ToUpper(name)})
	c.fill("status", map[string]any{"phase": "running", "healthy": true})
	c.fill("nothing", nil)
}
