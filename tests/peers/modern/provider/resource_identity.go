package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newIdentity has a resource identity of several attributes; version 1 of it
// renamed "account" to "account_id".
func newIdentity() resource.Resource {
	return &identified{object{name: "identity", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"region": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString("north"),
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"account_id": schema.Int64Attribute{
				Optional: true, Computed: true, Default: int64default.StaticInt64(1000),
				PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()},
			},
			"text": optionalText(),
		}),
	})}}
}

type identified struct{ object }

func (*identified) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Version: 1,
		Attributes: map[string]identityschema.Attribute{
			"name":       identityschema.StringAttribute{RequiredForImport: true, Description: "The name."},
			"region":     identityschema.StringAttribute{OptionalForImport: true, Description: "The region, north if unset."},
			"account_id": identityschema.Int64Attribute{OptionalForImport: true},
			"zones":      identityschema.ListAttribute{OptionalForImport: true, ElementType: types.StringType},
		},
	}
}

func (*identified) UpgradeIdentity(context.Context) map[int64]resource.IdentityUpgrader {
	return map[int64]resource.IdentityUpgrader{0: {IdentityUpgrader: upgradeIdentity}}
}

func upgradeIdentity(ctx context.Context, req resource.UpgradeIdentityRequest, resp *resource.UpgradeIdentityResponse) {
	var old struct {
		Name, Region *string
		Account      *int64
	}
	if err := json.Unmarshal(req.RawIdentity.JSON, &old); err != nil {
		resp.Diagnostics.AddError("The identity of version 0 is wrong", err.Error())
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("name"), old.Name)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("region"), old.Region)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("account_id"), old.Account)...)
}

// identify copies the identity out of a state; without an object there is none.
func identify(ctx context.Context, state tfsdk.State, id *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	if id == nil || state.Raw.IsNull() || diags.HasError() {
		return
	}
	var name, region types.String
	var account types.Int64
	diags.Append(state.GetAttribute(ctx, path.Root("name"), &name)...)
	diags.Append(state.GetAttribute(ctx, path.Root("region"), &region)...)
	diags.Append(state.GetAttribute(ctx, path.Root("account_id"), &account)...)
	diags.Append(id.SetAttribute(ctx, path.Root("name"), name)...)
	diags.Append(id.SetAttribute(ctx, path.Root("region"), region)...)
	diags.Append(id.SetAttribute(ctx, path.Root("account_id"), account)...)
	diags.Append(id.SetAttribute(ctx, path.Root("zones"), []string{"a", "b"})...)
}

func (r *identified) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	r.object.Create(ctx, req, resp)
	identify(ctx, resp.State, resp.Identity, &resp.Diagnostics)
}

func (r *identified) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	r.object.Read(ctx, req, resp)
	identify(ctx, resp.State, resp.Identity, &resp.Diagnostics)
}

func (r *identified) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	r.object.Update(ctx, req, resp)
	identify(ctx, resp.State, resp.Identity, &resp.Diagnostics)
}

// ImportState takes an id or an identity.
func (r *identified) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("name"), req, resp)
}
