package provider

import (
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// newRestless never settles: its counter differs at every read, and its target
// reads back as one less than what was asked for.
func newRestless() resource.Resource {
	return &object{name: "restless", seen: seenRestless, schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"target":  optionalInt(),
			"counter": schema.Int64Attribute{Computed: true},
		}),
	})}
}

func seenRestless(c *change) {
	n, err := c.cloud.Count("restless-" + idOf(c.next))
	if err != nil {
		c.diags.AddError("No counter", err.Error())
		return
	}
	c.next["counter"] = n
	if target, ok := c.next["target"].(json.Number); ok {
		v, _ := target.Int64()
		c.next["target"] = json.Number(fmt.Sprint(v - 1))
	}
}
