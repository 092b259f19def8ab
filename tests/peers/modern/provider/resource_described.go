package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// newDescribed has a description of either kind wherever one can be.
func newDescribed() resource.Resource {
	return &object{name: "described", schema: fixed(schema.Schema{
		MarkdownDescription: "A type with *descriptions* everywhere.\n\nIn several lines, with `code`.",
		Attributes: withName(attributes{
			"plain":    schema.StringAttribute{Optional: true, Description: "Plain text, with \"quotes\" and <angle> brackets & more."},
			"markdown": schema.StringAttribute{Optional: true, MarkdownDescription: "See [the id](#id)."},
			"both":     schema.StringAttribute{Optional: true, Description: "The plain one.", MarkdownDescription: "The **rich** one."},
			"unicode":  schema.StringAttribute{Optional: true, Description: "Größe in µm — 大きさ"},
		}),
		Blocks: blockTypes{
			"plain_block": schema.ListNestedBlock{Description: "A plain block.", NestedObject: labelBlock()},
			"rich_block":  schema.SingleNestedBlock{MarkdownDescription: "A **rich** block.", Attributes: attributes{"key": optionalText()}},
		},
	})}
}
