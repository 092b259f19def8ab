package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// newNestedMap has maps of nested objects, and a map within a map.
func newNestedMap() resource.Resource {
	return &object{name: "nested_map", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"rules": schema.MapNestedAttribute{Optional: true, NestedObject: nestedRule()},
			"environments": schema.MapNestedAttribute{Required: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes{
				"region": optionalText(),
				"services": schema.MapNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes{
					"replicas": optionalInt(), "address": computedText(),
				}}},
			}}},
			"endpoints": schema.MapNestedAttribute{Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes{
				"url": computedText(),
			}}},
		}),
	})}
}
