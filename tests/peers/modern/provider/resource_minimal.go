package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// newMinimal has no arguments at all.
func newMinimal() resource.Resource {
	return &object{
		name:   "minimal",
		decide: func(c *change) { c.fill("created_at", c.cloud.Now()) },
		schema: fixed(schema.Schema{Attributes: withID(attributes{"created_at": computedText()})}),
	}
}
