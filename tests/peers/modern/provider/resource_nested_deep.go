package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// newNestedDeep mixes the four nestings, five levels down, and puts nested
// attributes into blocks.
func newNestedDeep() resource.Resource {
	leaf := nested(attributes{"text": optionalText(), "handle": computedText()})
	inSet := nested(attributes{"key": requiredText(), "single": schema.SingleNestedAttribute{Optional: true, Attributes: leaf.Attributes}})
	inMap := nested(attributes{"weight": optionalInt(), "set": schema.SetNestedAttribute{Optional: true, NestedObject: inSet}})
	inList := nested(attributes{"title": optionalText(), "map": schema.MapNestedAttribute{Optional: true, NestedObject: inMap}})
	return &object{name: "nested_deep", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"single": schema.SingleNestedAttribute{Optional: true, Attributes: attributes{
				"list": schema.ListNestedAttribute{Optional: true, NestedObject: inList},
			}},
		}),
		Blocks: blockTypes{
			"stage": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: attributes{
				"title":   requiredText(),
				"options": schema.SingleNestedAttribute{Optional: true, Attributes: leaf.Attributes},
				"items":   schema.ListNestedAttribute{Optional: true, NestedObject: leaf},
			}}},
		},
	})}
}

func nested(a attributes) schema.NestedAttributeObject {
	return schema.NestedAttributeObject{Attributes: a}
}
