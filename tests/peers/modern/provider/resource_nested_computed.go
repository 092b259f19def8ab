package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
)

// newNestedComputed has nested attributes that the user may leave to the cloud,
// wholly or in part.
func newNestedComputed() resource.Resource {
	return &object{name: "nested_computed", decide: decideNested, schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"comment": optionalText(),
			"network": schema.SingleNestedAttribute{Optional: true, Computed: true, Attributes: attributes{
				"cidr":    schema.StringAttribute{Optional: true, Computed: true},
				"gateway": computedText(),
			}},
			"kept": schema.SingleNestedAttribute{
				Optional: true, Computed: true,
				PlanModifiers: []planmodifier.Object{objectplanmodifier.UseStateForUnknown()},
				Attributes:    attributes{"mode": schema.StringAttribute{Optional: true, Computed: true}},
			},
			"disks": schema.ListNestedAttribute{
				Optional: true, Computed: true,
				PlanModifiers: []planmodifier.List{listplanmodifier.UseStateForUnknown()},
				NestedObject: nested(attributes{
					"size":   schema.Int64Attribute{Optional: true, Computed: true},
					"device": computedText(),
				}),
			},
			"volumes": schema.MapNestedAttribute{Optional: true, Computed: true, NestedObject: nested(attributes{
				"size": optionalInt(), "mount": computedText(),
			})},
			"interfaces": schema.SetNestedAttribute{Optional: true, Computed: true, NestedObject: nested(attributes{
				"network": optionalText(), "address": computedText(),
			})},
		}),
	})}
}

// decideNested leaves the user's part of an element null: core would propose to
// remove an element in which the cloud has set what is not computed.
func decideNested(c *change) {
	c.fill("volumes", map[string]any{"root": map[string]any{"size": nil, "mount": "/"}})
	c.fill("interfaces", []any{map[string]any{"network": nil, "address": "10.0.0.7"}})
}
