package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// newNestedList has lists of nested objects, with values the cloud adds to each.
func newNestedList() resource.Resource {
	return &object{name: "nested_list", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"rules": schema.ListNestedAttribute{Optional: true, NestedObject: nestedRule()},
			"steps": schema.ListNestedAttribute{Required: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes{
				"title": requiredText(), "commands": optionalTexts(),
			}}},
			"events": schema.ListNestedAttribute{Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes{
				"kind": computedText(), "count": schema.Int64Attribute{Computed: true},
			}}},
		}),
	})}
}

func nestedRule() schema.NestedAttributeObject {
	return schema.NestedAttributeObject{Attributes: attributes{
		"port":     requiredInt(),
		"protocol": schema.StringAttribute{Optional: true, Computed: true},
		"handle":   computedText(),
		"comment":  optionalText(),
	}}
}
