package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// newNormalised has values whose spelling means nothing: JSON, and text in any
// letter case. The cloud stores its own spelling; semantic equality keeps the
// user's in the state.
func newNormalised() resource.Resource {
	return &object{name: "normalised", after: respell, seen: respell, schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"policy":  schema.StringAttribute{Optional: true, CustomType: jsontypes.NormalizedType{}},
			"exact":   schema.StringAttribute{Optional: true, CustomType: jsontypes.ExactType{}},
			"email":   schema.StringAttribute{Optional: true, CustomType: foldType{}},
			"aliases": schema.ListAttribute{Optional: true, ElementType: foldType{}},
			"comment": optionalText(),
		}),
	})}
}

// respell answers as this cloud spells: lower case, spaced JSON.
func respell(c *change) {
	if s, ok := c.next["email"].(string); ok {
		c.next["email"] = strings.ToLower(s)
	}
	if s, ok := c.next["policy"].(string); ok {
		c.next["policy"] = s + " "
	}
	list, _ := c.next["aliases"].([]any)
	for i := range list {
		list[i] = strings.ToLower(list[i].(string))
	}
}

// foldType is a string whose letter case means nothing.
type foldType struct{ basetypes.StringType }

func (t foldType) Equal(o attr.Type) bool { _, ok := o.(foldType); return ok }
func (t foldType) String() string         { return "foldType" }

func (t foldType) ValueType(context.Context) attr.Value { return foldValue{} }

func (t foldType) ValueFromString(_ context.Context, s basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return foldValue{s}, nil
}

func (t foldType) ValueFromTerraform(ctx context.Context, v tftypes.Value) (attr.Value, error) {
	s, err := t.StringType.ValueFromTerraform(ctx, v)
	if err != nil {
		return nil, err
	}
	return foldValue{s.(basetypes.StringValue)}, nil
}

type foldValue struct{ basetypes.StringValue }

func (v foldValue) Type(context.Context) attr.Type { return foldType{} }

func (v foldValue) Equal(o attr.Value) bool {
	other, ok := o.(foldValue)
	return ok && v.StringValue.Equal(other.StringValue)
}

func (v foldValue) StringSemanticEquals(_ context.Context, o basetypes.StringValuable) (bool, diag.Diagnostics) {
	other, ok := o.(foldValue)
	return ok && strings.EqualFold(v.ValueString(), other.ValueString()), nil
}
