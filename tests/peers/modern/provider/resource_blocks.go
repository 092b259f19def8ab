package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// newBlocks has the three block shapes of the framework. It can't say min and
// max in the schema; validators do it, as real providers have them.
func newBlocks() resource.Resource {
	return &object{name: "blocks", schema: fixed(schema.Schema{
		Attributes: withName(attributes{}),
		Blocks: blockTypes{
			"settings": schema.SingleNestedBlock{Attributes: attributes{
				"mode":    optionalText(),
				"retries": schema.Int64Attribute{Optional: true, Computed: true, Default: int64default.StaticInt64(3)},
				"weights": optionalTags(),
			}},
			"rule": schema.ListNestedBlock{
				Validators:   []validator.List{listvalidator.SizeAtMost(4)},
				NestedObject: ruleBlock(),
			},
			"label": schema.SetNestedBlock{
				Validators:   []validator.Set{setvalidator.SizeAtMost(3)},
				NestedObject: labelBlock(),
			},
			"owner": schema.ListNestedBlock{
				Validators:   []validator.List{listvalidator.IsRequired(), listvalidator.SizeBetween(1, 2)},
				NestedObject: labelBlock(),
			},
		},
	})}
}

func ruleBlock() schema.NestedBlockObject {
	return schema.NestedBlockObject{Attributes: attributes{
		"port":     requiredInt(),
		"protocol": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("tcp")},
		"sources":  optionalTexts(),
		"handle":   computedText(),
	}}
}

func labelBlock() schema.NestedBlockObject {
	return schema.NestedBlockObject{Attributes: attributes{"key": requiredText(), "value": optionalText()}}
}
