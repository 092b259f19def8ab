package provider

import (
	"context"
	"github.com/hashicorp/terraform-plugin-framework-validators/resourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newWriteOnly has secrets that reach the cloud but never the state: of several
// types, in blocks, with a version that sends them again. "password" is the old
// way, which warns where the new one is possible.
func newWriteOnly() resource.Resource {
	return &writeOnly{object{name: "write_only", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"password": schema.StringAttribute{Optional: true, Sensitive: true},
			"password_wo": schema.StringAttribute{
				Optional: true, WriteOnly: true,
				Validators: []validator.String{stringvalidator.ConflictsWith(path.MatchRoot("password"))},
			},
			"password_wo_version": optionalInt(),
			"pin_wo":              schema.Int64Attribute{Optional: true, WriteOnly: true},
			"keys_wo":             schema.ListAttribute{Optional: true, WriteOnly: true, ElementType: types.StringType},
			"pairs_wo":            schema.MapAttribute{Optional: true, WriteOnly: true, ElementType: types.StringType},
			"comment":             optionalText(),
		}),
		Blocks: blockTypes{
			"login": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: attributes{
				"user":      requiredText(),
				"secret_wo": schema.StringAttribute{Required: true, WriteOnly: true},
			}}},
			"vault": schema.SingleNestedBlock{Attributes: attributes{
				"path":   optionalText(),
				"key_wo": schema.StringAttribute{Optional: true, WriteOnly: true},
			}},
		},
	})}}
}

type writeOnly struct{ object }

func (*writeOnly) ConfigValidators(context.Context) []resource.ConfigValidator {
	return []resource.ConfigValidator{
		resourcevalidator.PreferWriteOnlyAttribute(path.MatchRoot("password"), path.MatchRoot("password_wo")),
	}
}
