package provider

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newUpgrade is at version 2 of its schema. Version 0 had "size" as text and
// "tags" as "a=1,b=2"; version 1 made size a number; version 2 made tags a map
// and renamed "owner" to "contact".
func newUpgrade() resource.Resource {
	return &upgraded{object{name: "upgrade", schema: fixed(schema.Schema{
		Version: 2,
		Attributes: withName(attributes{
			"size":    optionalInt(),
			"tags":    optionalTags(),
			"contact": optionalText(),
		}),
	})}}
}

type upgraded struct{ object }

type upgradeModel struct {
	ID      types.String `tfsdk:"id"`
	Name    types.String `tfsdk:"name"`
	Size    types.Int64  `tfsdk:"size"`
	Tags    types.Map    `tfsdk:"tags"`
	Contact types.String `tfsdk:"contact"`
}

// UpgradeState has one way by schema and one by the raw JSON.
func (*upgraded) UpgradeState(context.Context) map[int64]resource.StateUpgrader {
	v0 := schema.Schema{Attributes: attributes{
		"id": computedText(), "name": requiredText(), "size": optionalText(), "tags": optionalText(), "owner": optionalText(),
	}}
	return map[int64]resource.StateUpgrader{
		0: {PriorSchema: &v0, StateUpgrader: upgradeV0},
		1: {StateUpgrader: upgradeV1},
	}
}

func upgradeV0(ctx context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
	var old struct {
		ID    types.String `tfsdk:"id"`
		Name  types.String `tfsdk:"name"`
		Size  types.String `tfsdk:"size"`
		Tags  types.String `tfsdk:"tags"`
		Owner types.String `tfsdk:"owner"`
	}
	resp.Diagnostics.Append(req.State.Get(ctx, &old)...)
	next := upgradeModel{ID: old.ID, Name: old.Name, Contact: old.Owner, Size: types.Int64Null()}
	if s := old.Size.ValueString(); s != "" {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			resp.Diagnostics.AddError("The state of version 0 is wrong", "size "+s+" is no number")
			return
		}
		next.Size = types.Int64Value(n)
	}
	next.Tags = splitTags(old.Tags.ValueString(), &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &next)...)
}

func upgradeV1(ctx context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
	var old struct {
		ID, Name, Tags, Owner *string
		Size                  *int64
	}
	if err := json.Unmarshal(req.RawState.JSON, &old); err != nil {
		resp.Diagnostics.AddError("The state of version 1 is wrong", err.Error())
		return
	}
	tags := ""
	if old.Tags != nil {
		tags = *old.Tags
	}
	next := upgradeModel{
		ID: types.StringPointerValue(old.ID), Name: types.StringPointerValue(old.Name),
		Size: types.Int64PointerValue(old.Size), Contact: types.StringPointerValue(old.Owner),
		Tags: splitTags(tags, &resp.Diagnostics),
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &next)...)
}

func splitTags(text string, diags *diag.Diagnostics) types.Map {
	if text == "" {
		return types.MapNull(types.StringType)
	}
	tags := map[string]attr.Value{}
	for pair := range strings.SplitSeq(text, ",") {
		k, v, _ := strings.Cut(pair, "=")
		tags[k] = types.StringValue(v)
	}
	m, more := types.MapValue(types.StringType, tags)
	diags.Append(more...)
	return m
}
