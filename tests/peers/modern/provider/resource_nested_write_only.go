package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// newNestedWriteOnly has write-only values within nested attributes, and a
// nested attribute that is write-only as a whole.
func newNestedWriteOnly() resource.Resource {
	secret := schema.StringAttribute{Required: true, WriteOnly: true}
	return &object{name: "nested_write_only", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"login":  schema.SingleNestedAttribute{Optional: true, Attributes: attributes{"user": requiredText(), "secret_wo": secret}},
			"logins": schema.ListNestedAttribute{Optional: true, NestedObject: nested(attributes{"user": requiredText(), "secret_wo": secret})},
			"vaults": schema.MapNestedAttribute{Optional: true, NestedObject: nested(attributes{"path": requiredText(), "secret_wo": secret})},
			"bundle_wo": schema.SingleNestedAttribute{Optional: true, WriteOnly: true, Attributes: attributes{
				"key":  schema.StringAttribute{Required: true, WriteOnly: true},
				"seed": schema.Int64Attribute{Optional: true, WriteOnly: true},
			}},
			"secrets_version": optionalInt(),
		}),
	})}
}
