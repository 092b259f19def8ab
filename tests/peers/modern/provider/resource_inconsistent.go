package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newInconsistent breaks the rules between provider and core, each in its mode.
func newInconsistent() resource.Resource {
	return &inconsistent{object{name: "inconsistent", after: afterInconsistent, schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"mode": schema.StringAttribute{
				Optional: true,
				Description: "honest; apply:change, apply:null-value, apply:shorter, apply:unknown, apply:nothing (the result " +
					"differs from the plan); plan:change, plan:invent (the plan differs from the configuration)",
			},
			"text":  optionalText(),
			"texts": optionalTexts(),
			"spare": optionalText(),
			"note":  computedText(),
		}),
	})}}
}

type inconsistent struct{ object }

func (r *inconsistent) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.object.ModifyPlan(ctx, req, resp)
	if req.Plan.Raw.IsNull() {
		return
	}
	var mode types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("mode"), &mode)...)
	switch mode.ValueString() {
	case "plan:change":
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("text"), "not what you wrote")...)
	case "plan:invent":
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("spare"), "not in the configuration")...)
	}
}

func afterInconsistent(c *change) {
	switch text(c.next, "mode") {
	case "apply:change":
		c.next["text"] = text(c.next, "text") + " (changed)"
	case "apply:null-value":
		c.next["text"] = nil
	case "apply:shorter":
		c.next["texts"] = []any{}
	case "apply:unknown":
		c.next["note"] = unknown
	case "apply:nothing":
		c.next = nil
	}
}
