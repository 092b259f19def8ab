package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newOptionalComputed has values the user may set and the cloud sets otherwise:
// "zone" stays once chosen, "version" is open again at every change.
func newOptionalComputed() resource.Resource {
	return &object{name: "optional_computed", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"zone": schema.StringAttribute{
				Optional: true, Computed: true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"version": schema.StringAttribute{Optional: true, Computed: true},
			"size":    schema.Int64Attribute{Optional: true, Computed: true},
			"public":  schema.BoolAttribute{Optional: true, Computed: true},
			"aliases": schema.ListAttribute{
				Optional: true, Computed: true, ElementType: types.StringType,
				PlanModifiers: []planmodifier.List{listplanmodifier.UseStateForUnknown()},
			},
			"tags":    schema.MapAttribute{Optional: true, Computed: true, ElementType: types.StringType},
			"members": schema.SetAttribute{Optional: true, Computed: true, ElementType: types.StringType},
			"comment": optionalText(),
		}),
	})}
}
