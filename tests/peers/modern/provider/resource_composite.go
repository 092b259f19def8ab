package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// newComposite is imported as REGION/NAME, as many real types are.
func newComposite() resource.Resource {
	return &composite{object{name: "composite", schema: fixed(schema.Schema{
		Attributes: withName(attributes{"region": requiredText(), "text": optionalText()}),
	})}}
}

type composite struct{ object }

func (c *composite) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	region, name, ok := strings.Cut(req.ID, "/")
	if !ok || region == "" || name == "" {
		resp.Diagnostics.AddError("Unexpected format of id", "REGION/NAME is expected, not "+req.ID)
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), name)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("name"), name)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("region"), region)...)
}
