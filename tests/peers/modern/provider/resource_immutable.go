package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// newImmutable replaces the object at every change and can't be imported.
func newImmutable() resource.Resource {
	o := &object{name: "immutable", schema: fixed(schema.Schema{
		Attributes: withID(attributes{
			"keepers": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				PlanModifiers: []planmodifier.Map{mapplanmodifier.RequiresReplace()},
			},
			"length": schema.Int64Attribute{
				Required:      true,
				PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()},
			},
			"result": computedText(),
		}),
	})}
	return immutable{o}
}

// immutable names its methods one by one, so that ImportState is not among them.
type immutable struct{ o *object }

func (i immutable) Metadata(c context.Context, q resource.MetadataRequest, p *resource.MetadataResponse) {
	i.o.Metadata(c, q, p)
}
func (i immutable) Schema(c context.Context, q resource.SchemaRequest, p *resource.SchemaResponse) {
	i.o.Schema(c, q, p)
}
func (i immutable) Configure(c context.Context, q resource.ConfigureRequest, p *resource.ConfigureResponse) {
	i.o.Configure(c, q, p)
}
func (i immutable) Create(c context.Context, q resource.CreateRequest, p *resource.CreateResponse) {
	i.o.Create(c, q, p)
}
func (i immutable) Read(c context.Context, q resource.ReadRequest, p *resource.ReadResponse) {
	i.o.Read(c, q, p)
}
func (i immutable) Update(c context.Context, q resource.UpdateRequest, p *resource.UpdateResponse) {
	i.o.Update(c, q, p)
}
func (i immutable) Delete(c context.Context, q resource.DeleteRequest, p *resource.DeleteResponse) {
	i.o.Delete(c, q, p)
}
