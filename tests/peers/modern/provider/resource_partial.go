package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// newPartial gets half way: the object is created (and will be tainted), or the
// update saves one argument and loses the other.
func newPartial() resource.Resource {
	return &object{name: "partial", after: afterPartial, schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"break":  schema.StringAttribute{Optional: true, Description: "create, or update, or nothing"},
			"first":  optionalText(),
			"second": optionalText(),
		}),
	})}
}

func afterPartial(c *change) {
	if text(c.next, "break") != c.step {
		return
	}
	if c.step == "create" {
		c.diags.AddError("Created, but not ready", "The object exists and is of no use.")
		return
	}
	c.next["second"] = c.prior["second"]
	c.diags.AddAttributeError(path.Root("second"), "The second argument was not updated", "The first one was.")
}
