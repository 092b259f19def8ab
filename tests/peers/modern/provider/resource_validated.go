package provider

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/resourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newValidated refuses bad input: values, relations, blocks, and rules of its
// own with paths and warnings.
func newValidated() resource.Resource {
	source := []path.Expression{path.MatchRoot("inline"), path.MatchRoot("file"), path.MatchRoot("url")}
	return &validated{object{name: "validated", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"inline": schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.ExactlyOneOf(source...)}},
			"file":   optionalText(),
			"url":    schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.RegexMatches(regexp.MustCompile(`^https://`), "must start with https://")}},
			"email":  optionalText(),
			"phone":  optionalText(),
			"public": schema.BoolAttribute{Optional: true},
			"private_key": schema.StringAttribute{
				Optional: true, Sensitive: true,
				Validators: []validator.String{
					stringvalidator.AlsoRequires(path.MatchRoot("certificate")),
					stringvalidator.ConflictsWith(path.MatchRoot("public")),
				},
			},
			"certificate": optionalText(),
			"percent":     schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.Between(0, 100)}},
			"size":        schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.OneOf("small", "large")}},
			"even":        optionalInt(),
			"kind":        optionalText(),
			"ports":       schema.ListAttribute{Optional: true, ElementType: types.Int64Type, Validators: []validator.List{listvalidator.SizeBetween(1, 3), listvalidator.UniqueValues(), listvalidator.ValueInt64sAre(int64validator.Between(1, 65535))}},
		}),
		Blocks: blockTypes{
			"rule": schema.ListNestedBlock{
				Validators: []validator.List{listvalidator.SizeAtMost(2)},
				NestedObject: schema.NestedBlockObject{Attributes: attributes{
					"port": schema.Int64Attribute{Required: true, Validators: []validator.Int64{int64validator.AtLeast(1)}},
				}},
			},
		},
	})}}
}

type validated struct{ object }

func (*validated) ConfigValidators(context.Context) []resource.ConfigValidator {
	return []resource.ConfigValidator{
		resourcevalidator.AtLeastOneOf(path.MatchRoot("email"), path.MatchRoot("phone")),
	}
}

func (*validated) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var even types.Int64
	var kind types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("even"), &even)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("kind"), &kind)...)
	if even.ValueInt64()%2 != 0 {
		resp.Diagnostics.AddAttributeError(path.Root("even"), "An even number is needed", even.String()+" is odd.")
	}
	if kind.ValueString() == "old" {
		resp.Diagnostics.AddAttributeWarning(path.Root("kind"), "An old kind", "The kind \"old\" works, but not for ever.")
	}
}
