package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newSensitive has secrets as argument, as result, in collections, in objects
// and in blocks.
func newSensitive() resource.Resource {
	return &object{name: "sensitive", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"password": schema.StringAttribute{Required: true, Sensitive: true},
			"pin":      schema.Int64Attribute{Optional: true, Sensitive: true},
			"tokens":   schema.ListAttribute{Optional: true, Sensitive: true, ElementType: types.StringType},
			"secrets":  schema.MapAttribute{Optional: true, Sensitive: true, ElementType: types.StringType},
			"pair": schema.ObjectAttribute{Optional: true, Sensitive: true, AttributeTypes: map[string]attr.Type{
				"user": types.StringType, "password": types.StringType,
			}},
			"any":     schema.DynamicAttribute{Optional: true, Sensitive: true},
			"api_key": schema.StringAttribute{Computed: true, Sensitive: true},
			"comment": optionalText(),
		}),
		Blocks: blockTypes{
			"credential": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: attributes{
				"user":     requiredText(),
				"password": schema.StringAttribute{Required: true, Sensitive: true},
				"token":    schema.StringAttribute{Computed: true, Sensitive: true},
			}}},
			"vault": schema.SetNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: attributes{
				"path": requiredText(),
				"key":  schema.StringAttribute{Optional: true, Sensitive: true},
			}}},
		},
	})}
}
