package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newObjects has attributes of object types, in each other and in collections.
// Unlike nested attributes they have no schema within, only a type.
func newObjects() resource.Resource {
	point := types.ObjectType{AttrTypes: map[string]attr.Type{"x": types.NumberType, "y": types.NumberType}}
	shape := types.ObjectType{AttrTypes: map[string]attr.Type{
		"title":  types.StringType,
		"closed": types.BoolType,
		"points": types.ListType{ElemType: point},
		"style":  types.ObjectType{AttrTypes: map[string]attr.Type{"colour": types.StringType, "width": types.Float64Type}},
	}}
	return &object{name: "objects", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"origin":  schema.ObjectAttribute{Required: true, AttributeTypes: point.AttrTypes},
			"shape":   schema.ObjectAttribute{Optional: true, AttributeTypes: shape.AttrTypes},
			"shapes":  schema.ListAttribute{Optional: true, ElementType: shape},
			"corners": schema.SetAttribute{Optional: true, ElementType: point},
			"named":   schema.MapAttribute{Optional: true, ElementType: shape},
			"centre":  schema.ObjectAttribute{Computed: true, AttributeTypes: point.AttrTypes},
		}),
	})}
}
