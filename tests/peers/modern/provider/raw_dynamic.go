package provider

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terrane.test/peers/cloud"
)

// modern_raw_dynamic has values of any type within list and map blocks: core
// then sees a tuple and an object, because the elements differ in type.
func rawDynamic() rawKind {
	anything := rawAttribute("any", tftypes.DynamicPseudoType, "optional")
	label := rawAttribute("label", tftypes.String, "required")
	return rawKind{
		open:   func(cloud.Object) {},
		decide: func(cloud.Object) {},
		schema: &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{
			Attributes: []*tfprotov6.SchemaAttribute{
				rawAttribute("id", tftypes.String, "computed"), rawAttribute("name", tftypes.String, "required"),
			},
			BlockTypes: []*tfprotov6.SchemaNestedBlock{
				rawBlock("item", tfprotov6.SchemaNestedBlockNestingModeList, 0, 0, label, anything),
				rawBlock("option", tfprotov6.SchemaNestedBlockNestingModeMap, 0, 0, label, anything),
			},
		}},
	}
}
