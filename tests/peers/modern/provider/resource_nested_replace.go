package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
)

// newNestedReplace replaces the object for changes deep within nested
// attributes, or of whole ones.
func newNestedReplace() resource.Resource {
	replaces := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	return &object{name: "nested_replace", schema: fixed(schema.Schema{
		Attributes: withID(attributes{
			"comment": optionalText(),
			"boot": schema.SingleNestedAttribute{Optional: true, Attributes: attributes{
				"image": schema.StringAttribute{Required: true, PlanModifiers: replaces},
				"args":  optionalText(),
			}},
			"disks": schema.ListNestedAttribute{Optional: true, NestedObject: nested(attributes{
				"type": schema.StringAttribute{Required: true, PlanModifiers: replaces},
				"size": optionalInt(),
			})},
			"members": schema.MapNestedAttribute{Optional: true, NestedObject: nested(attributes{
				"zone": schema.StringAttribute{Optional: true, PlanModifiers: replaces},
			})},
			"placement": schema.SingleNestedAttribute{
				Optional:      true,
				PlanModifiers: []planmodifier.Object{objectplanmodifier.RequiresReplace()},
				Attributes:    attributes{"rack": optionalInt()},
			},
			"order": schema.ListNestedAttribute{
				Optional:      true,
				PlanModifiers: []planmodifier.List{listplanmodifier.RequiresReplace()},
				NestedObject:  nested(attributes{"step": optionalText()}),
			},
		}),
	})}
}
