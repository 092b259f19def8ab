package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// newNestedSensitive has secrets within nested attributes, and nested
// attributes that are secret as a whole.
func newNestedSensitive() resource.Resource {
	login := attributes{"user": requiredText(), "password": schema.StringAttribute{Required: true, Sensitive: true}}
	return &object{name: "nested_sensitive", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"login":  schema.SingleNestedAttribute{Optional: true, Attributes: login},
			"logins": schema.MapNestedAttribute{Optional: true, NestedObject: nested(login)},
			"keys":   schema.SetNestedAttribute{Optional: true, NestedObject: nested(login)},
			"hidden": schema.SingleNestedAttribute{Optional: true, Sensitive: true, Attributes: attributes{
				"text": optionalText(), "number": optionalInt(),
			}},
			"hidden_list": schema.ListNestedAttribute{Optional: true, Sensitive: true, NestedObject: nested(attributes{
				"text": optionalText(),
			})},
			"result": schema.SingleNestedAttribute{Computed: true, Attributes: attributes{
				"token": schema.StringAttribute{Computed: true, Sensitive: true}, "url": computedText(),
			}},
			"comment": optionalText(),
		}),
	})}
}
