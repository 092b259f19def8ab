package provider

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"

	"terrane.test/peers/cloud"
)

// modern_raw_refined promises something about values it does not know yet: not
// null, a prefix, bounds of a number, bounds of a length. "break" makes it lie.

func rawRefined() rawKind {
	list := tftypes.List{ElementType: tftypes.String}
	set := tftypes.Set{ElementType: tftypes.String}
	tags := tftypes.Map{ElementType: tftypes.String}
	return rawKind{
		open:   openRefined,
		decide: decideRefined,
		refine: refine,
		schema: &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
			rawAttribute("id", tftypes.String, "computed"),
			rawAttribute("name", tftypes.String, "required"),
			rawAttribute("size", tftypes.Number, "optional"),
			rawAttribute("break", tftypes.Bool, "optional"),
			rawAttribute("handle", tftypes.String, "computed"),
			rawAttribute("score", tftypes.Number, "computed"),
			rawAttribute("addresses", list, "computed"),
			rawAttribute("members", set, "computed"),
			rawAttribute("labels", tags, "computed"),
			rawAttribute("plain", tftypes.String, "computed"),
		}}},
	}
}

func openRefined(planned cloud.Object) {
	for _, name := range []string{"handle", "score", "addresses", "members", "labels", "plain"} {
		planned[name] = unknown
	}
}

func decideRefined(o cloud.Object) {
	prefix := "h-"
	if o["break"] == true {
		prefix = "x-"
	}
	decided := cloud.Object{
		"handle": prefix + text(o, "name"), "score": 50,
		"addresses": []any{"10.0.0.1", "10.0.0.2"}, "members": []any{"a"},
		"labels": cloud.Object{"name": text(o, "name")}, "plain": "plain",
	}
	for name, v := range decided {
		if o[name] == unknown {
			o[name] = v
		}
	}
}

// refine goes through go-cty: the plugin library can't write refinements.
func refine(planned *tfprotov6.DynamicValue, t tftypes.Type) (*tfprotov6.DynamicValue, error) {
	text, err := t.MarshalJSON() //nolint:staticcheck // the only form there is
	if err != nil {
		return nil, err
	}
	ct, err := json.UnmarshalType(text)
	if err != nil {
		return nil, err
	}
	v, err := msgpack.Unmarshal(planned.MsgPack, ct)
	if err != nil {
		return nil, err
	}
	v, err = cty.Transform(v, promise)
	if err != nil {
		return nil, err
	}
	bytes, err := msgpack.Marshal(v, ct)
	return &tfprotov6.DynamicValue{MsgPack: bytes}, err
}

func promise(p cty.Path, v cty.Value) (cty.Value, error) {
	if len(p) != 1 || v.IsKnown() {
		return v, nil
	}
	switch p[0].(cty.GetAttrStep).Name {
	case "id":
		return v.RefineNotNull(), nil
	case "handle":
		return v.Refine().NotNull().StringPrefixFull("h-").NewValue(), nil
	case "score":
		return v.Refine().NotNull().NumberRangeInclusive(cty.NumberIntVal(0), cty.NumberIntVal(100)).NewValue(), nil
	case "addresses":
		return v.Refine().NotNull().CollectionLengthLowerBound(1).CollectionLengthUpperBound(3).NewValue(), nil
	case "members":
		return v.Refine().NotNull().CollectionLengthLowerBound(1).NewValue(), nil
	case "labels":
		return v.RefineNotNull(), nil
	}
	return v, nil
}
