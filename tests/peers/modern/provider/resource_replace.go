package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newReplace replaces the object always, only when shrinking, or only when the
// user says something. It has no name, so old and new can live side by side.
func newReplace() resource.Resource {
	return &object{name: "replace", schema: fixed(schema.Schema{
		Attributes: withID(attributes{
			"engine": schema.StringAttribute{
				Required:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"size": schema.Int64Attribute{
				Optional:      true,
				PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplaceIf(shrinks, "Replaces when smaller.", "Replaces when *smaller*.")},
			},
			"subnet": schema.StringAttribute{
				Optional: true, Computed: true,
				PlanModifiers: []planmodifier.String{
					stringplanmodifier.UseStateForUnknown(), stringplanmodifier.RequiresReplaceIfConfigured(),
				},
			},
			"zones": schema.SetAttribute{
				Optional: true, ElementType: types.StringType,
				PlanModifiers: []planmodifier.Set{setplanmodifier.RequiresReplace()},
			},
			"labels": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				PlanModifiers: []planmodifier.Map{mapplanmodifier.RequiresReplace()},
			},
			"comment":  optionalText(),
			"endpoint": computedText(),
		}),
		Blocks: blockTypes{
			"disk": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: attributes{
				"image": schema.StringAttribute{
					Required:      true,
					PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				},
				"size": optionalInt(),
			}}},
			"placement": schema.ListNestedBlock{
				PlanModifiers: []planmodifier.List{listplanmodifier.RequiresReplace()},
				NestedObject:  labelBlock(),
			},
		},
	})}
}

func shrinks(_ context.Context, req planmodifier.Int64Request, resp *int64planmodifier.RequiresReplaceIfFuncResponse) {
	resp.RequiresReplace = req.PlanValue.ValueInt64() < req.StateValue.ValueInt64()
}
