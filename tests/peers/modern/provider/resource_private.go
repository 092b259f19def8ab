package provider

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newPrivate keeps its name in private data and fails if anybody loses it
// between two calls.
func newPrivate() resource.Resource {
	return &private{object{name: "private", schema: fixed(schema.Schema{
		Attributes: withName(attributes{"text": optionalText(), "note": computedText()}),
	})}}
}

type private struct{ object }

const privateKey = "name"

type keyReader interface {
	GetKey(context.Context, string) ([]byte, diag.Diagnostics)
}

// proof is what private data must hold for an object.
func proof(name types.String) []byte {
	text, _ := json.Marshal(map[string]string{"name": name.ValueString()})
	return text
}

func (r *private) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	r.object.Create(ctx, req, resp)
	var name types.String
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("name"), &name)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateKey, proof(name))...)
}

func (r *private) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	r.object.Read(ctx, req, resp)
	var name types.String
	if resp.State.Raw.IsNull() {
		return
	}
	resp.Diagnostics.Append(resp.State.GetAttribute(ctx, path.Root("name"), &name)...)
	// After an import there is no private data yet: this is where it begins.
	if kept, _ := req.Private.GetKey(ctx, privateKey); kept == nil {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateKey, proof(name))...)
		return
	}
	demand(ctx, req.Private, name, &resp.Diagnostics)
}

func (r *private) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var name types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("name"), &name)...)
	demand(ctx, req.Private, name, &resp.Diagnostics)
	if planned, _ := req.Private.GetKey(ctx, "planned"); planned == nil {
		resp.Diagnostics.AddError("Planned private data is lost", "The plan stored a key that the update does not see.")
	}
	if !resp.Diagnostics.HasError() {
		r.object.Update(ctx, req, resp)
	}
}

func (r *private) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var name types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("name"), &name)...)
	demand(ctx, req.Private, name, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		r.object.Delete(ctx, req, resp)
	}
}

// ModifyPlan leaves a key that only the plan knows, for the update to find.
func (r *private) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.object.ModifyPlan(ctx, req, resp)
	if !req.Plan.Raw.IsNull() && resp.Private != nil {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, "planned", []byte(`true`))...)
	}
}

func demand(ctx context.Context, kept keyReader, name types.String, diags *diag.Diagnostics) {
	got, more := kept.GetKey(ctx, privateKey)
	diags.Append(more...)
	if !bytes.Equal(got, proof(name)) {
		diags.AddError("Private data is lost", "The provider stored "+string(proof(name))+" and got back "+string(got)+".")
	}
}
