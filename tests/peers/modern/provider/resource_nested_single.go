package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
)

// newNestedSingle has single nested attributes: required, optional, computed,
// one within the other.
func newNestedSingle() resource.Resource {
	return &object{name: "nested_single", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"owner": schema.SingleNestedAttribute{Required: true, Attributes: attributes{
				"user": requiredText(), "team": optionalText(),
			}},
			"settings": schema.SingleNestedAttribute{Optional: true, Attributes: attributes{
				"mode":   optionalText(),
				"handle": schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
				"limits": schema.SingleNestedAttribute{Optional: true, Attributes: attributes{"cpu": optionalInt(), "memory": optionalInt()}},
			}},
			"status": schema.SingleNestedAttribute{Computed: true, Attributes: attributes{
				"phase": computedText(), "healthy": schema.BoolAttribute{Computed: true},
			}},
		}),
	})}
}
