package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// newWarnings warns at every step, with paths of every kind, and works.
func newWarnings() resource.Resource {
	return &warning{object{
		name: "warnings",
		decide: func(c *change) {
			c.diags.AddAttributeWarning(path.Root("rule").AtListIndex(0).AtName("port"), "Warned while storing", "This is only a warning.")
			c.diags.AddAttributeWarning(path.Root("tags").AtMapKey("colour"), "Warned while storing", "This is only a warning.")
		},
		seen: func(c *change) { c.diags.AddWarning("Warned while reading", "This is only a warning.") },
		schema: fixed(schema.Schema{
			Attributes: withName(attributes{"text": optionalText(), "tags": optionalTags()}),
			Blocks:     blockTypes{"rule": schema.ListNestedBlock{NestedObject: labelled("port")}},
		}),
	}}
}

func labelled(name string) schema.NestedBlockObject {
	return schema.NestedBlockObject{Attributes: attributes{name: requiredInt()}}
}

type warning struct{ object }

func (w *warning) ValidateConfig(_ context.Context, _ resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	resp.Diagnostics.AddAttributeWarning(path.Root("text"), "Warned while validating", "This is only a warning.")
}

func (w *warning) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	w.object.ModifyPlan(ctx, req, resp)
	resp.Diagnostics.AddAttributeWarning(path.Root("name"), "Warned while planning", "This is only a warning.")
}

func (w *warning) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	resp.Diagnostics.AddWarning("Warned while deleting", "This is only a warning.")
	w.object.Delete(ctx, req, resp)
}
