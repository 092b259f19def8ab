package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// newFaulty fails as its argument "fail" says (see the cloud package); every
// other type fails by the provider's argument or the file "faults".
func newFaulty() resource.Resource {
	return &object{name: "faulty", schema: fixed(*faultySchema())}
}

func faultySchema() *schema.Schema {
	return &schema.Schema{Attributes: withName(attributes{
		"fail": schema.StringAttribute{Optional: true, Description: "STEP:MOMENT[:KIND[:ARGUMENT]], separated by commas."},
		"text": optionalText(),
		"note": computedText(),
	})}
}
