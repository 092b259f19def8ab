package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The list resources: the types "identity" and "network" can be searched.

type lister struct {
	name string
	data *data

	// identity sets the identity of one object.
	identity func(ctx context.Context, o map[string]any, result *list.ListResult)
}

func newListIdentity() list.ListResource {
	return &lister{name: "identity", identity: func(ctx context.Context, o map[string]any, result *list.ListResult) {
		for _, name := range []string{"name", "region"} {
			result.Diagnostics.Append(result.Identity.SetAttribute(ctx, path.Root(name), text(o, name))...)
		}
	}}
}

func newListNetwork() list.ListResource {
	return &lister{name: "network", identity: func(ctx context.Context, o map[string]any, result *list.ListResult) {
		result.Diagnostics.Append(result.Identity.SetAttribute(ctx, path.Root("id"), text(o, "id"))...)
	}}
}

func (l *lister) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + l.name
}

func (l *lister) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if req.ProviderData != nil {
		l.data = req.ProviderData.(*data)
	}
}

func (l *lister) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "Finds objects by the beginning of their name.",
		Attributes: map[string]schema.Attribute{
			"prefix": schema.StringAttribute{Optional: true},
			"fail":   schema.BoolAttribute{Optional: true, Description: "Fail after the first object."},
		},
	}
}

func (l *lister) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var prefix types.String
	var fail types.Bool
	var diags diag.Diagnostics
	diags.Append(req.Config.GetAttribute(ctx, path.Root("prefix"), &prefix)...)
	diags.Append(req.Config.GetAttribute(ctx, path.Root("fail"), &fail)...)
	typeName := l.data.prefix + "_" + l.name
	ids, err := l.data.List(typeName)
	if err != nil {
		diags.AddError("The folder can't be read", err.Error())
	}
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		sent := int64(0)
		for _, id := range ids {
			if !strings.HasPrefix(id, prefix.ValueString()) {
				continue
			}
			if (req.Limit > 0 && sent >= req.Limit) || !push(l.one(ctx, req, typeName, id)) {
				return
			}
			sent++
			if fail.ValueBool() {
				diags.AddError("A failure on demand", "After the first object.")
				push(list.ListResult{Diagnostics: diags})
				return
			}
		}
	}
}

func (l *lister) one(ctx context.Context, req list.ListRequest, typeName, id string) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = "The " + l.name + " " + id
	o, err := l.data.Read(typeName, id)
	if err != nil {
		result.Diagnostics.AddError("The object can't be read", err.Error())
		return result
	}
	l.identity(ctx, o, &result)
	if !req.IncludeResource {
		return result
	}
	v, err := decode(req.ResourceSchema.Type().TerraformType(ctx), o)
	if err != nil {
		result.Diagnostics.AddError("The file of an object is wrong", err.Error())
		return result
	}
	result.Resource.Raw = v
	return result
}
