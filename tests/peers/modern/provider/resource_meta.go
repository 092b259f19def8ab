package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newMeta remembers which module made it, by provider_meta.
func newMeta() resource.Resource {
	return &withMeta{object{name: "meta", schema: fixed(schema.Schema{
		Attributes: withName(attributes{"text": optionalText(), "made_by": optionalComputedText()}),
	})}}
}

func optionalComputedText() schema.Attribute {
	return schema.StringAttribute{Optional: true, Computed: true}
}

type withMeta struct{ object }

func (m *withMeta) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	m.decide = func(c *change) { c.fill("made_by", moduleName(ctx, req.ProviderMeta, c)) }
	m.object.Create(ctx, req, resp)
}

func (m *withMeta) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	m.decide = func(c *change) { c.fill("made_by", moduleName(ctx, req.ProviderMeta, c)) }
	m.object.Update(ctx, req, resp)
}

func moduleName(ctx context.Context, meta tfsdk.Config, c *change) string {
	if meta.Raw.IsNull() {
		return "nobody"
	}
	var name types.String
	c.diags.Append(meta.GetAttribute(ctx, path.Root("module_name"), &name)...)
	if name.ValueString() == "" {
		return "nobody"
	}
	return name.ValueString()
}
