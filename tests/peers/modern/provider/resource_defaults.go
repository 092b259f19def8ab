package provider

import (
	"context"
	"math/big"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/defaults"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/dynamicdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/float32default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/float64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int32default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/numberdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newDefaults has a default of each type, one of them found while planning.
func newDefaults() resource.Resource {
	texts := types.ListValueMust(types.StringType, []attr.Value{types.StringValue("a"), types.StringValue("b")})
	set := types.SetValueMust(types.StringType, []attr.Value{types.StringValue("x")})
	tags := types.MapValueMust(types.StringType, map[string]attr.Value{"made": types.StringValue("here")})
	point := map[string]attr.Type{"x": types.Int64Type, "y": types.Int64Type}
	origin := types.ObjectValueMust(point, map[string]attr.Value{"x": types.Int64Value(0), "y": types.Int64Value(0)})
	return &object{name: "defaults", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"text":     schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("hello")},
			"empty":    schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("")},
			"enabled":  schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(true)},
			"disabled": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false)},
			"int32":    schema.Int32Attribute{Optional: true, Computed: true, Default: int32default.StaticInt32(32)},
			"int64":    schema.Int64Attribute{Optional: true, Computed: true, Default: int64default.StaticInt64(64)},
			"float32":  schema.Float32Attribute{Optional: true, Computed: true, Default: float32default.StaticFloat32(0.5)},
			"float64":  schema.Float64Attribute{Optional: true, Computed: true, Default: float64default.StaticFloat64(0.1)},
			"number":   schema.NumberAttribute{Optional: true, Computed: true, Default: numberdefault.StaticBigFloat(big.NewFloat(1.5))},
			"texts":    schema.ListAttribute{Optional: true, Computed: true, ElementType: types.StringType, Default: listdefault.StaticValue(texts)},
			"text_set": schema.SetAttribute{Optional: true, Computed: true, ElementType: types.StringType, Default: setdefault.StaticValue(set)},
			"tags":     schema.MapAttribute{Optional: true, Computed: true, ElementType: types.StringType, Default: mapdefault.StaticValue(tags)},
			"origin":   schema.ObjectAttribute{Optional: true, Computed: true, AttributeTypes: point, Default: objectdefault.StaticValue(origin)},
			"anything": schema.DynamicAttribute{Optional: true, Computed: true, Default: dynamicdefault.StaticValue(types.DynamicValue(types.StringValue("anything")))},
			"region":   schema.StringAttribute{Optional: true, Computed: true, Default: environmentDefault{"TERRANE_TEST_REGION", "north"}},
		}),
	})}
}

// environmentDefault is a default that is only known when it is asked for.
type environmentDefault struct{ variable, otherwise string }

func (d environmentDefault) Description(context.Context) string {
	return "the environment variable " + d.variable + ", or " + d.otherwise
}

func (d environmentDefault) MarkdownDescription(ctx context.Context) string {
	return d.Description(ctx)
}

func (d environmentDefault) DefaultString(_ context.Context, _ defaults.StringRequest, resp *defaults.StringResponse) {
	resp.PlanValue = types.StringValue(d.otherwise)
	if v, ok := os.LookupEnv(d.variable); ok {
		resp.PlanValue = types.StringValue(v)
	}
}
