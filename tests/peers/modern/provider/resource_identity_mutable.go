package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newIdentityMutable may be renamed in place: its identity changes with it.
func newIdentityMutable() resource.Resource {
	return &identityMutable{object{name: "identity_mutable", schema: fixed(schema.Schema{
		Attributes: withName(attributes{"address": requiredText()}),
	})}}
}

type identityMutable struct{ object }

func (r *identityMutable) Metadata(ctx context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	r.object.Metadata(ctx, req, resp)
	resp.ResourceBehavior.MutableIdentity = true
}

func (*identityMutable) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"address": identityschema.StringAttribute{RequiredForImport: true},
	}}
}

func (r *identityMutable) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	r.object.Create(ctx, req, resp)
	identifyBy(ctx, "address", resp.State, resp.Identity, &resp.Diagnostics)
}

func (r *identityMutable) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	r.object.Read(ctx, req, resp)
	identifyBy(ctx, "address", resp.State, resp.Identity, &resp.Diagnostics)
}

func (r *identityMutable) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	r.object.Update(ctx, req, resp)
	identifyBy(ctx, "address", resp.State, resp.Identity, &resp.Diagnostics)
}

// identifyBy is an identity of one string attribute.
func identifyBy(ctx context.Context, name string, state tfsdk.State, id *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	if id == nil || state.Raw.IsNull() || diags.HasError() {
		return
	}
	var s types.String
	diags.Append(state.GetAttribute(ctx, path.Root(name), &s)...)
	diags.Append(id.SetAttribute(ctx, path.Root(name), s)...)
}
