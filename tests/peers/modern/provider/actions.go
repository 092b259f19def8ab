package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The actions.

// touch notes something in the journal, in as many steps as asked.
type touch struct{ data *data }

func newTouch() action.Action { return &touch{} }

func (t *touch) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_touch"
}

func (t *touch) Configure(_ context.Context, req action.ConfigureRequest, _ *action.ConfigureResponse) {
	if req.ProviderData != nil {
		t.data = req.ProviderData.(*data)
	}
}

func (t *touch) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "Notes something in the journal.",
		Attributes: map[string]schema.Attribute{
			"note":      schema.StringAttribute{Required: true},
			"steps":     schema.Int64Attribute{Optional: true},
			"fail":      schema.BoolAttribute{Optional: true, Description: "Fail after the last step."},
			"secret_wo": schema.StringAttribute{Optional: true, WriteOnly: true},
		},
		Blocks: map[string]schema.Block{
			"option": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
				"key": schema.StringAttribute{Required: true},
			}}},
		},
	}
}

func (t *touch) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	var note types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("note"), &note)...)
	if note.ValueString() == "never" {
		resp.Diagnostics.AddAttributeError(path.Root("note"), "Not this note", "It is refused while planning.")
	}
	if note.ValueString() == "later" && req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &action.Deferred{Reason: action.DeferredReasonAbsentPrereq}
	}
}

func (t *touch) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var note types.String
	var steps types.Int64
	var fail types.Bool
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("note"), &note)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("steps"), &steps)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("fail"), &fail)...)
	for i := range steps.ValueInt64() {
		resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf("step %d of %d", i+1, steps.ValueInt64())})
	}
	t.data.Note("touch " + note.ValueString())
	if fail.ValueBool() {
		resp.Diagnostics.AddAttributeError(path.Root("fail"), "A failure on demand", "As asked.")
	}
}
