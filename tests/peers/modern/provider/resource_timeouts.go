package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
)

// newTimeouts has the timeouts block of the framework's companion module;
// "takes" is how long a create or an update lasts.
func newTimeouts() resource.Resource {
	return &timed{object{name: "timeouts", local: []string{"timeouts"}, schema: func(ctx context.Context) schema.Schema {
		return schema.Schema{
			Attributes: takes(),
			Blocks:     blockTypes{"timeouts": timeouts.BlockAll(ctx)},
		}
	}}}
}

// newTimeoutsAttribute has the same as a nested attribute, without read.
func newTimeoutsAttribute() resource.Resource {
	return &timed{object{name: "timeouts_attribute", local: []string{"timeouts"}, schema: func(ctx context.Context) schema.Schema {
		own := takes()
		own["timeouts"] = timeouts.Attributes(ctx, timeouts.Opts{Create: true, Update: true, Delete: true})
		return schema.Schema{Attributes: own}
	}}}
}

func takes() attributes {
	return withName(attributes{
		"takes": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("0s")},
	})
}

type timed struct{ object }

// limit gives the time a step may last.
func limit(ctx context.Context, plan tfsdk.Plan, diags *diag.Diagnostics, step func(timeouts.Value) (time.Duration, diag.Diagnostics)) time.Duration {
	var t timeouts.Value
	diags.Append(plan.GetAttribute(ctx, path.Root("timeouts"), &t)...)
	d, more := step(t)
	diags.Append(more...)
	return d
}

func (r *timed) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	d := limit(ctx, req.Plan, &resp.Diagnostics, func(t timeouts.Value) (time.Duration, diag.Diagnostics) {
		return t.Create(ctx, 20*time.Minute)
	})
	if work(ctx, req.Plan, d, &resp.Diagnostics) {
		r.object.Create(ctx, req, resp)
	}
}

func (r *timed) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	d := limit(ctx, req.Plan, &resp.Diagnostics, func(t timeouts.Value) (time.Duration, diag.Diagnostics) {
		return t.Update(ctx, 10*time.Minute)
	})
	if work(ctx, req.Plan, d, &resp.Diagnostics) {
		r.object.Update(ctx, req, resp)
	}
}

func work(ctx context.Context, plan tfsdk.Plan, limit time.Duration, diags *diag.Diagnostics) bool {
	var text string
	diags.Append(plan.GetAttribute(ctx, path.Root("takes"), &text)...)
	needs, err := time.ParseDuration(text)
	if err != nil {
		diags.AddAttributeError(path.Root("takes"), "No duration", err.Error())
	}
	if diags.HasError() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case <-time.After(needs):
		return true
	case <-ctx.Done():
		diags.AddError("Out of time", ctx.Err().Error())
		return false
	}
}
