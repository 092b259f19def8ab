package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newDeferred waits, where the caller allows it: for an input that is unknown,
// or for a file in the folder. Where waiting is not allowed, an absent file is
// an error.
func newDeferred() resource.Resource {
	return &waiting{object{name: "deferred", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"input":    optionalText(),
			"requires": schema.StringAttribute{Optional: true, Description: "A file that must be in the folder."},
			"output":   computedText(),
		}),
	})}}
}

type waiting struct{ object }

func (w *waiting) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	w.object.ModifyPlan(ctx, req, resp)
	if req.Plan.Raw.IsNull() || w.data == nil {
		return
	}
	var input, requires types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("input"), &input)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("requires"), &requires)...)
	allowed := req.ClientCapabilities.DeferralAllowed
	absent := requires.ValueString() != "" && !w.data.Exists(requires.ValueString())
	switch {
	case absent && allowed:
		resp.Deferred = &resource.Deferred{Reason: resource.DeferredReasonAbsentPrereq}
	case absent:
		resp.Diagnostics.AddAttributeError(path.Root("requires"), "A prerequisite is absent",
			"There is no file "+requires.ValueString()+" yet.")
	case input.IsUnknown() && allowed:
		resp.Deferred = &resource.Deferred{Reason: resource.DeferredReasonResourceConfigUnknown}
	}
}

func (w *waiting) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var requires types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("requires"), &requires)...)
	absent := requires.ValueString() != "" && !w.data.Exists(requires.ValueString())
	if absent && req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &resource.Deferred{Reason: resource.DeferredReasonAbsentPrereq}
		return
	}
	w.object.Read(ctx, req, resp)
}

func (w *waiting) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if req.ClientCapabilities.DeferralAllowed && w.data.Exists("defer-import") {
		resp.Deferred = &resource.Deferred{Reason: resource.DeferredReasonAbsentPrereq}
		return
	}
	w.object.ImportState(ctx, req, resp)
}
