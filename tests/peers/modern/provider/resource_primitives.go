package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// newPrimitives has an argument of each primitive type.
func newPrimitives() resource.Resource {
	return &object{name: "primitives", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"text":    optionalText(),
			"enabled": schema.BoolAttribute{Optional: true},
			"count32": schema.Int32Attribute{Optional: true},
			"count64": schema.Int64Attribute{Optional: true},
			"ratio32": schema.Float32Attribute{Optional: true},
			"ratio64": schema.Float64Attribute{Optional: true},
			"number":  schema.NumberAttribute{Optional: true},
			"port":    schema.Int64Attribute{Required: true},
			"public":  schema.BoolAttribute{Required: true},
			"weight":  schema.Float64Attribute{Required: true},
		}),
	})}
}
