package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newNestedSet has sets of nested objects: plain ones, and ones to which the
// cloud adds values, where core must pair old and new elements by guess.
func newNestedSet() resource.Resource {
	return &object{name: "nested_set", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"labels": schema.SetNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes{
				"key": requiredText(), "value": optionalText(),
			}}},
			"rules": schema.SetNestedAttribute{Optional: true, NestedObject: nestedRule()},
			"groups": schema.SetNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes{
				"title":   requiredText(),
				"members": schema.SetAttribute{Optional: true, ElementType: types.StringType},
				"notes": schema.SetNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes{
					"text": requiredText(),
				}}},
			}}},
			"peers": schema.SetNestedAttribute{Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes{
				"address": computedText(),
			}}},
		}),
	})}
}
