package provider

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terrane.test/peers/cloud"
)

// modern_raw_blocks has the block nestings that no library offers, map and
// group, beside the others with bounds in the schema.

func rawBlocks() rawKind {
	text := func(name string, flags ...string) *tfprotov6.SchemaAttribute {
		return rawAttribute(name, tftypes.String, flags...)
	}
	number := func(name string, flags ...string) *tfprotov6.SchemaAttribute {
		return rawAttribute(name, tftypes.Number, flags...)
	}
	note := rawBlock("note", tfprotov6.SchemaNestedBlockNestingModeList, 0, 2, text("text", "required"))
	limits := rawBlock("limits", tfprotov6.SchemaNestedBlockNestingModeGroup, 0, 0, number("cpu", "optional"), number("memory", "optional"))
	zone := rawBlock("zone", tfprotov6.SchemaNestedBlockNestingModeMap, 0, 0, text("cidr", "required"), text("gateway", "computed"))
	zone.Block.BlockTypes = []*tfprotov6.SchemaNestedBlock{note, limits}
	logging := rawBlock("logging", tfprotov6.SchemaNestedBlockNestingModeGroup, 0, 0, text("level", "optional"), number("days", "optional"))
	logging.Block.BlockTypes = []*tfprotov6.SchemaNestedBlock{
		rawBlock("sink", tfprotov6.SchemaNestedBlockNestingModeMap, 0, 0, text("url", "required")),
	}
	rule := rawBlock("rule", tfprotov6.SchemaNestedBlockNestingModeList, 0, 3, number("port", "required"))
	rule.Block.BlockTypes = []*tfprotov6.SchemaNestedBlock{
		rawBlock("source", tfprotov6.SchemaNestedBlockNestingModeSet, 1, 2, text("cidr", "required")),
	}
	owner := rawBlock("owner", tfprotov6.SchemaNestedBlockNestingModeSingle, 1, 1, text("user", "required"), text("team", "optional"))
	return rawKind{
		open:   openGateways,
		decide: func(cloud.Object) {},
		schema: &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{
			Attributes: []*tfprotov6.SchemaAttribute{text("id", "computed"), text("name", "required"), text("comment", "optional")},
			BlockTypes: []*tfprotov6.SchemaNestedBlock{zone, logging, rule, owner},
		}},
	}
}

func rawBlock(name string, nesting tfprotov6.SchemaNestedBlockNestingMode, min, max int64, attributes ...*tfprotov6.SchemaAttribute) *tfprotov6.SchemaNestedBlock {
	return &tfprotov6.SchemaNestedBlock{
		TypeName: name, Nesting: nesting, MinItems: min, MaxItems: max,
		Block: &tfprotov6.SchemaBlock{Attributes: attributes},
	}
}

func rawAttribute(name string, t tftypes.Type, flags ...string) *tfprotov6.SchemaAttribute {
	a := &tfprotov6.SchemaAttribute{Name: name, Type: t}
	for _, f := range flags {
		a.Required = a.Required || f == "required"
		a.Optional = a.Optional || f == "optional"
		a.Computed = a.Computed || f == "computed"
	}
	return a
}

// openGateways leaves each new zone's gateway to the cloud.
func openGateways(planned cloud.Object) {
	zones, _ := planned["zone"].(cloud.Object)
	for _, zone := range zones {
		if z := zone.(cloud.Object); z["gateway"] == nil {
			z["gateway"] = unknown
		}
	}
}
