package provider

import (
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newServer is a plausible whole: references, blocks, tags, computed addresses,
// replacing and updating arguments, a write-only password.
func newServer() resource.Resource {
	return &object{name: "server", decide: decideServer, schema: fixed(schema.Schema{
		Description: "A virtual server.",
		Attributes: withName(attributes{
			"image": schema.StringAttribute{
				Required:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"size": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString("small"),
				Validators: []validator.String{stringvalidator.OneOf("small", "medium", "large")},
			},
			"network_id": schema.StringAttribute{
				Optional:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"firewalls":           schema.SetAttribute{Optional: true, ElementType: types.StringType},
			"tags":                optionalTags(),
			"tags_all":            schema.MapAttribute{Computed: true, ElementType: types.StringType},
			"password_wo":         schema.StringAttribute{Optional: true, WriteOnly: true},
			"password_wo_version": optionalInt(),
			"arn": schema.StringAttribute{
				Computed:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"address": schema.StringAttribute{
				Computed:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"boots": schema.Int64Attribute{Computed: true},
		}),
		Blocks: blockTypes{
			"disk": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: attributes{
				"size":      schema.Int64Attribute{Required: true, Validators: []validator.Int64{int64validator.AtLeast(1)}},
				"type":      schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("ssd")},
				"encrypted": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(true)},
				"device":    computedText(),
			}}},
			"options": schema.SingleNestedBlock{Attributes: attributes{
				"monitoring": optionalBool(),
				"cpu_limit":  schema.Float64Attribute{Optional: true},
			}},
		},
	})}
}

func decideServer(c *change) {
	demandNetwork(c)
	all := map[string]any{"managed": "yes"}
	tags, _ := c.next["tags"].(map[string]any)
	for k, v := range tags {
		all[k] = v
	}
	boots := int64(0)
	if n, ok := c.prior["boots"].(json.Number); ok {
		boots, _ = n.Int64()
	}
	c.fill("tags_all", all)
	c.fill("arn", "arn:modern:server/"+text(c.next, "name"))
	c.fill("address", "10.0.0.7")
	c.fill("boots", int(boots)+1)
}
