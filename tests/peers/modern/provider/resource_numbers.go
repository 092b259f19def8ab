package provider

import (
	"encoding/json"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newNumbers has numbers that no float64 and no int64 can hold. The cloud
// answers with twice the number, exactly.
func newNumbers() resource.Resource {
	return &object{name: "numbers", decide: decideNumbers, schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"exact":    schema.NumberAttribute{Required: true},
			"integer":  schema.Int64Attribute{Optional: true},
			"fraction": schema.Float64Attribute{Optional: true},
			"series":   schema.ListAttribute{Optional: true, ElementType: types.NumberType},
			"bag":      schema.SetAttribute{Optional: true, ElementType: types.NumberType},
			"doubled":  schema.NumberAttribute{Computed: true},
		}),
	})}
}

func decideNumbers(c *change) {
	text := c.next["exact"].(json.Number).String()
	n, _, err := big.ParseFloat(text, 10, numberBits, big.ToNearestEven)
	if err != nil {
		c.diags.AddError("No number", err.Error())
		return
	}
	c.fill("doubled", json.Number(n.Add(n, n).Text('f', -1)))
}
