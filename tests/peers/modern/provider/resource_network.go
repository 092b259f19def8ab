package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
)

// newNetwork is what subnets and servers refer to.
func newNetwork() resource.Resource {
	return &network{object{
		name:   "network",
		decide: func(c *change) { c.fill("arn", "arn:modern:network/"+text(c.next, "name")) },
		schema: fixed(schema.Schema{
			Description: "A network.",
			Attributes: withName(attributes{
				"cidr": schema.StringAttribute{
					Required:      true,
					PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				},
				"description": optionalText(),
				"tags":        optionalTags(),
				"arn": schema.StringAttribute{
					Computed:      true,
					PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
				},
			}),
		}),
	}}
}

type network struct{ object }

func (*network) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true},
	}}
}

func (n *network) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	n.object.Create(ctx, req, resp)
	identifyBy(ctx, "id", resp.State, resp.Identity, &resp.Diagnostics)
}

func (n *network) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	n.object.Read(ctx, req, resp)
	identifyBy(ctx, "id", resp.State, resp.Identity, &resp.Diagnostics)
}

func (n *network) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	n.object.Update(ctx, req, resp)
	identifyBy(ctx, "id", resp.State, resp.Identity, &resp.Diagnostics)
}

func (n *network) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}
