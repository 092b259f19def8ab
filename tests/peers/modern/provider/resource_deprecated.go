package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// newDeprecated has deprecated arguments, blocks and arguments within blocks.
func newDeprecated() resource.Resource {
	return &object{name: "deprecated", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"size":      schema.StringAttribute{Optional: true, DeprecationMessage: "use \"capacity\""},
			"capacity":  optionalInt(),
			"legacy_id": schema.StringAttribute{Computed: true, DeprecationMessage: "use \"id\""},
		}),
		Blocks: blockTypes{
			"rule": schema.ListNestedBlock{DeprecationMessage: "use \"policy\"", NestedObject: labelBlock()},
			"policy": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: attributes{
				"action": requiredText(),
				"effect": schema.StringAttribute{Optional: true, DeprecationMessage: "every policy allows"},
			}}},
		},
	})}
}

// newDeprecatedWhole is a resource type that warns wherever it is used.
func newDeprecatedWhole() resource.Resource {
	return &object{name: "deprecated_whole", schema: fixed(schema.Schema{
		DeprecationMessage: "use \"deprecated\", which lives longer",
		Attributes:         withName(attributes{"text": optionalText()}),
	})}
}
