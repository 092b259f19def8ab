package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newNestedDefaults has defaults within nested attributes and of whole ones.
func newNestedDefaults() resource.Resource {
	logging := map[string]attr.Type{"level": types.StringType, "days": types.Int64Type}
	logDefault := types.ObjectValueMust(logging, map[string]attr.Value{
		"level": types.StringValue("info"), "days": types.Int64Value(30),
	})
	rule := types.ObjectType{AttrTypes: map[string]attr.Type{"port": types.Int64Type, "open": types.BoolType}}
	ruleDefault := types.ListValueMust(rule, []attr.Value{types.ObjectValueMust(rule.AttrTypes, map[string]attr.Value{
		"port": types.Int64Value(443), "open": types.BoolValue(true),
	})})
	return &object{name: "nested_defaults", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"logging": schema.SingleNestedAttribute{
				Optional: true, Computed: true, Default: objectdefault.StaticValue(logDefault),
				Attributes: attributes{
					"level": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("info")},
					"days":  schema.Int64Attribute{Optional: true, Computed: true, Default: int64default.StaticInt64(30)},
				},
			},
			"rules": schema.ListNestedAttribute{
				Optional: true, Computed: true, Default: listdefault.StaticValue(ruleDefault),
				NestedObject: nested(attributes{
					"port": requiredInt(),
					"open": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false)},
				}),
			},
			"members": schema.MapNestedAttribute{Optional: true, NestedObject: nested(attributes{
				"role": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("reader")},
			})},
		}),
	})}
}
