package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newDynamic has attributes of any type: the user's value decides it, and the
// cloud's does for "answer". An object type may have such an attribute too.
func newDynamic() resource.Resource {
	return &object{name: "dynamic", decide: decideDynamic, schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"value":    schema.DynamicAttribute{Optional: true},
			"manifest": schema.DynamicAttribute{Required: true},
			"wrapped": schema.ObjectAttribute{Optional: true, AttributeTypes: map[string]attr.Type{
				"label": types.StringType,
				"any":   types.DynamicType,
			}},
			"answer": schema.DynamicAttribute{Computed: true},
			"choice": schema.DynamicAttribute{Optional: true, Computed: true},
		}),
		Blocks: blockTypes{
			"item": schema.SingleNestedBlock{Attributes: attributes{
				"label": optionalText(),
				"any":   schema.DynamicAttribute{Optional: true},
			}},
		},
	})}
}

// decideDynamic echoes the manifest, so the answer's type differs by object.
func decideDynamic(c *change) {
	c.fill("answer", c.next["manifest"])
}
