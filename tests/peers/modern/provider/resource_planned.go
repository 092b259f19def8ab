package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newPlanned decides while planning: a checksum known before apply, a version
// that opens only when the content changes, a capacity that may only grow, and
// a replacement it finds by itself. It warns before it is destroyed and refuses
// if protected.
func newPlanned() resource.Resource {
	return &planned{object{name: "planned", decide: decidePlanned, schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"content":   requiredText(),
			"capacity":  schema.Int64Attribute{Optional: true, Computed: true, Default: int64default.StaticInt64(1)},
			"kind":      optionalText(),
			"protected": optionalBool(),
			"checksum":  computedText(),
			"version":   computedText(),
		}),
	})}}
}

type planned struct{ object }

type plannedModel struct {
	ID        types.String `tfsdk:"id"`
	Name      types.String `tfsdk:"name"`
	Content   types.String `tfsdk:"content"`
	Capacity  types.Int64  `tfsdk:"capacity"`
	Kind      types.String `tfsdk:"kind"`
	Protected types.Bool   `tfsdk:"protected"`
	Checksum  types.String `tfsdk:"checksum"`
	Version   types.String `tfsdk:"version"`
}

func (p *planned) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	p.object.ModifyPlan(ctx, req, resp)
	var prior, next plannedModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	}
	if req.Plan.Raw.IsNull() {
		warnDestroy(prior, resp)
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &next)...)
	if resp.Diagnostics.HasError() {
		return
	}
	next.Checksum = types.StringUnknown()
	if !next.Content.IsUnknown() {
		next.Checksum = types.StringValue(checksum(next.Content.ValueString()))
	}
	if next.Checksum.Equal(prior.Checksum) {
		next.Version = prior.Version
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &next)...)
	if req.State.Raw.IsNull() {
		return
	}
	if next.Capacity.ValueInt64() < prior.Capacity.ValueInt64() {
		resp.Diagnostics.AddAttributeError(path.Root("capacity"), "The capacity may only grow",
			fmt.Sprintf("It is %s and would become %s.", prior.Capacity, next.Capacity))
	}
	if !next.Kind.Equal(prior.Kind) {
		resp.RequiresReplace = resp.RequiresReplace.Append(path.Root("kind"))
	}
}

func warnDestroy(prior plannedModel, resp *resource.ModifyPlanResponse) {
	if prior.Protected.ValueBool() {
		resp.Diagnostics.AddAttributeError(path.Root("protected"), "The object is protected", "It can't be destroyed.")
		return
	}
	resp.Diagnostics.AddWarning("The object will be gone", "Destroying it can't be undone.")
}

func decidePlanned(c *change) { c.fill("version", "v-"+text(c.next, "checksum")) }

// checksum only has to be stable and short.
func checksum(s string) string {
	sum := 0
	for _, b := range []byte(s) {
		sum = (sum*31 + int(b)) % 1000003
	}
	return fmt.Sprintf("%06d", sum)
}
