package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newCollections has lists, sets and maps of primitives and of each other.
func newCollections() resource.Resource {
	list := func(t types.ListType) schema.Attribute {
		return schema.ListAttribute{Optional: true, ElementType: t.ElemType}
	}
	text, number, flag := types.StringType, types.NumberType, types.BoolType
	return &object{name: "collections", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"texts":        list(types.ListType{ElemType: text}),
			"numbers":      list(types.ListType{ElemType: number}),
			"flags":        list(types.ListType{ElemType: flag}),
			"text_set":     schema.SetAttribute{Optional: true, ElementType: text},
			"integer_set":  schema.SetAttribute{Optional: true, ElementType: types.Int64Type},
			"flag_set":     schema.SetAttribute{Optional: true, ElementType: flag},
			"tags":         optionalTags(),
			"limits":       schema.MapAttribute{Optional: true, ElementType: types.Int64Type},
			"rates":        schema.MapAttribute{Optional: true, ElementType: types.Float64Type},
			"rows":         schema.ListAttribute{Optional: true, ElementType: types.ListType{ElemType: text}},
			"groups":       schema.MapAttribute{Optional: true, ElementType: types.SetType{ElemType: text}},
			"set_of_lists": schema.SetAttribute{Optional: true, ElementType: types.ListType{ElemType: number}},
			"set_of_sets":  schema.SetAttribute{Optional: true, ElementType: types.SetType{ElemType: text}},
			"deep":         schema.MapAttribute{Optional: true, ElementType: types.ListType{ElemType: types.MapType{ElemType: types.SetType{ElemType: number}}}},
			"required":     schema.ListAttribute{Required: true, ElementType: text},
			"chosen":       schema.ListAttribute{Optional: true, Computed: true, ElementType: text},
		}),
	})}
}
