package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
)

// newWriteOnlyReplace replaces the object for a new version of the secret.
// "seed_wo" asks for it by itself: core must then replace at every change of
// anything, because nobody can compare a write-only value.
func newWriteOnlyReplace() resource.Resource {
	return &object{name: "write_only_replace", schema: fixed(schema.Schema{
		Attributes: withID(attributes{
			"secret_wo": schema.StringAttribute{Required: true, WriteOnly: true},
			"secret_wo_version": schema.Int64Attribute{
				Required:      true,
				PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()},
			},
			"seed_wo": schema.StringAttribute{
				Optional: true, WriteOnly: true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"comment": optionalText(),
		}),
	})}
}
