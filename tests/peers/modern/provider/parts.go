package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Parts that most schemas share.

// fixed is a schema that needs no context.
func fixed(s schema.Schema) func(context.Context) schema.Schema {
	return func(context.Context) schema.Schema { return s }
}

type attributes = map[string]schema.Attribute
type blockTypes = map[string]schema.Block

// withID adds the id to a type's own attributes.
func withID(own attributes) attributes {
	own["id"] = schema.StringAttribute{
		Computed:      true,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
	return own
}

// withName adds the id and a name, from which the id is made.
func withName(own attributes) attributes {
	own["name"] = schema.StringAttribute{
		Required:      true,
		Description:   "The name, which is also the id.",
		PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
	}
	return withID(own)
}

func optionalText() schema.Attribute { return schema.StringAttribute{Optional: true} }
func requiredText() schema.Attribute { return schema.StringAttribute{Required: true} }
func computedText() schema.Attribute { return schema.StringAttribute{Computed: true} }
func optionalBool() schema.Attribute { return schema.BoolAttribute{Optional: true} }
func optionalInt() schema.Attribute  { return schema.Int64Attribute{Optional: true} }
func requiredInt() schema.Attribute  { return schema.Int64Attribute{Required: true} }
func optionalTexts() schema.Attribute {
	return schema.ListAttribute{Optional: true, ElementType: types.StringType}
}
func optionalTags() schema.Attribute {
	return schema.MapAttribute{Optional: true, ElementType: types.StringType}
}
