package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
)

// newSubnet needs a network that exists.
func newSubnet() resource.Resource {
	return &object{name: "subnet", decide: demandNetwork, schema: fixed(schema.Schema{
		Description: "A part of a network.",
		Attributes: withName(attributes{
			"network_id": schema.StringAttribute{
				Required:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"cidr":    requiredText(),
			"public":  optionalBool(),
			"gateway": computedText(),
		}),
	})}
}

func demandNetwork(c *change) {
	id := text(c.next, "network_id")
	if id == "" {
		return
	}
	if _, err := c.cloud.Read(c.cloud.prefix+"_network", id); err != nil {
		c.diags.AddError("The network is missing", err.Error())
	}
}
