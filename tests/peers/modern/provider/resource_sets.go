package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newSets has sets of objects: as attribute and as blocks, with values the
// cloud adds and sets within sets.
func newSets() resource.Resource {
	return &object{name: "sets", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"points": schema.SetAttribute{Optional: true, ElementType: types.ObjectType{AttrTypes: map[string]attr.Type{
				"x": types.Int64Type, "label": types.StringType,
			}}},
		}),
		Blocks: blockTypes{
			"rule": schema.SetNestedBlock{NestedObject: schema.NestedBlockObject{
				Attributes: attributes{
					"from":   requiredInt(),
					"to":     requiredInt(),
					"cidrs":  schema.SetAttribute{Optional: true, ElementType: types.StringType},
					"handle": computedText(),
				},
				Blocks: blockTypes{"note": schema.SetNestedBlock{NestedObject: labelBlock()}},
			}},
			"user": schema.SetNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: attributes{
				"login": requiredText(),
				"role":  schema.StringAttribute{Optional: true, Computed: true},
			}}},
		},
	})}
}
