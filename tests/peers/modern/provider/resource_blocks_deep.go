package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// newBlocksDeep nests single, list and set blocks in each other.
func newBlocksDeep() resource.Resource {
	check := schema.SingleNestedBlock{Attributes: attributes{"path": optionalText(), "interval": optionalInt()}}
	target := schema.NestedBlockObject{
		Attributes: attributes{"address": requiredText(), "port": optionalInt()},
		Blocks:     blockTypes{"header": schema.SetNestedBlock{NestedObject: labelBlock()}},
	}
	pool := schema.NestedBlockObject{
		Attributes: attributes{"zone": requiredText()},
		Blocks:     blockTypes{"target": schema.SetNestedBlock{NestedObject: target}, "check": check},
	}
	listener := schema.NestedBlockObject{
		Attributes: attributes{"port": requiredInt(), "handle": computedText()},
		Blocks:     blockTypes{"pool": schema.ListNestedBlock{NestedObject: pool}},
	}
	return &object{name: "blocks_deep", schema: fixed(schema.Schema{
		Attributes: withName(attributes{}),
		Blocks: blockTypes{
			"listener": schema.ListNestedBlock{NestedObject: listener},
			"logging": schema.SingleNestedBlock{
				Attributes: attributes{"level": optionalText()},
				Blocks: blockTypes{
					"sink":   schema.ListNestedBlock{NestedObject: labelBlock()},
					"filter": schema.SingleNestedBlock{Attributes: attributes{"pattern": optionalText()}},
				},
			},
		},
	})}
}
