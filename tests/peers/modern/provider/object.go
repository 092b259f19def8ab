package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terrane.test/peers/cloud"
)

// object is a resource type whose objects are files of the folder. The calls
// are the same for all types; a type says what its schema is and what the cloud
// decides. A type that needs more embeds object and adds methods.
type object struct {
	name   string // without the provider's prefix
	schema func(context.Context) schema.Schema

	decide func(*change) // before an object is stored: fill unknown values
	after  func(*change) // when it is stored: may change what is answered
	seen   func(*change) // when it has been read: may change what is answered

	// local names what lives only in the state, as timeouts do.
	local []string

	data *data
}

// change is one call on one object.
type change struct {
	ctx   context.Context
	step  string
	cloud *data
	diags *diag.Diagnostics

	prior  cloud.Object // the state before, nil on create
	config cloud.Object
	next   cloud.Object // what will be stored and answered
}

// fill sets a value the plan left open.
func (c *change) fill(name string, v any) {
	if c.next[name] == unknown {
		c.next[name] = v
	}
}

// text is a string of the object, or "".
func text(o cloud.Object, name string) string {
	s, _ := o[name].(string)
	return s
}

func idOf(o cloud.Object) string {
	if id := text(o, "id"); id != "" {
		return id
	}
	return text(o, "name")
}

func (o *object) typeName() string { return o.data.prefix + "_" + o.name }

func (o *object) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + o.name
}

func (o *object) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = o.schema(ctx)
}

func (o *object) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	// While validating there is no configured provider yet.
	if req.ProviderData != nil {
		o.data = req.ProviderData.(*data)
	}
}

func (o *object) terraformType(ctx context.Context) tftypes.Type {
	return o.schema(ctx).Type().TerraformType(ctx)
}

// encoded turns values into objects; an error is a mistake in this provider.
func (o *object) encoded(ctx context.Context, diags *diag.Diagnostics, v tftypes.Value) cloud.Object {
	x, err := encodeObject(o.terraformType(ctx), v)
	if err != nil {
		diags.AddError("A value can't be encoded", err.Error())
	}
	return x
}

func (o *object) decoded(ctx context.Context, diags *diag.Diagnostics, x cloud.Object) (tftypes.Value, bool) {
	v, err := decode(o.terraformType(ctx), x)
	if err != nil {
		diags.AddError("The file of an object is wrong", err.Error())
	}
	return v, err == nil
}

func (o *object) trip(ctx context.Context, diags *diag.Diagnostics, x cloud.Object, step, moment string) bool {
	f := o.data.Trip(ctx, cloud.Call{
		Type: o.typeName(), ID: idOf(x), Step: step, Moment: moment, Own: text(x, "fail"),
	})
	switch {
	case f == nil:
		return true
	case f.Warning:
		diags.AddWarning("A warning on demand", f.Text)
		return true
	}
	diags.AddError("A failure on demand", f.Text)
	return false
}

func (o *object) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	c := &change{ctx: ctx, step: "create", cloud: o.data, diags: &resp.Diagnostics}
	c.next = o.encoded(ctx, c.diags, req.Plan.Raw)
	c.config = o.encoded(ctx, c.diags, req.Config.Raw)
	if c.diags.HasError() || !o.trip(ctx, c.diags, c.next, "create", cloud.Before) {
		return
	}
	id, err := o.data.NewID(o.typeName(), text(c.next, "name"))
	if err != nil {
		c.diags.AddError("No id", err.Error())
		return
	}
	c.fill("id", id)
	if !o.settle(c) {
		return
	}
	if err := o.data.Create(o.typeName(), id, withSecrets(c.next, c.config).(cloud.Object)); err != nil {
		c.diags.AddError("The object can't be created", err.Error())
		return
	}
	if v, ok := o.finish(c); ok {
		resp.State.Raw = v
	}
}

func (o *object) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	c := &change{ctx: ctx, step: "update", cloud: o.data, diags: &resp.Diagnostics}
	c.prior = o.encoded(ctx, c.diags, req.State.Raw)
	c.next = o.encoded(ctx, c.diags, req.Plan.Raw)
	c.config = o.encoded(ctx, c.diags, req.Config.Raw)
	if c.diags.HasError() || !o.trip(ctx, c.diags, c.next, "update", cloud.Before) || !o.settle(c) {
		return
	}
	if err := o.data.Update(o.typeName(), idOf(c.prior), withSecrets(c.next, c.config).(cloud.Object)); err != nil {
		c.diags.AddError("The object can't be updated", err.Error())
		return
	}
	if v, ok := o.finish(c); ok {
		resp.State.Raw = v
	}
}

// settle lets the type decide, then the cloud. A type that leaves something
// unknown on purpose does so in after.
func (o *object) settle(c *change) bool {
	if o.decide != nil {
		o.decide(c)
	}
	c.next, _ = settle(o.terraformType(c.ctx), "", c.next).(cloud.Object)
	return !c.diags.HasError()
}

// finish gives the new state even if something fails: the object is there.
func (o *object) finish(c *change) (tftypes.Value, bool) {
	if o.after != nil {
		o.after(c)
	}
	v, ok := o.decoded(c.ctx, c.diags, c.next)
	o.trip(c.ctx, c.diags, c.next, c.step, cloud.After)
	return v, ok
}

func (o *object) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	c := &change{ctx: ctx, step: "read", cloud: o.data, diags: &resp.Diagnostics}
	c.prior = o.encoded(ctx, c.diags, req.State.Raw)
	if c.diags.HasError() || !o.trip(ctx, c.diags, c.prior, "read", cloud.Before) {
		return
	}
	stored, err := o.data.Read(o.typeName(), idOf(c.prior))
	if errors.Is(err, cloud.ErrNotFound) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		c.diags.AddError("The object can't be read", err.Error())
		return
	}
	c.next = stored
	for _, name := range o.local {
		c.next[name] = c.prior[name]
	}
	if o.seen != nil {
		o.seen(c)
	}
	if v, ok := o.decoded(ctx, c.diags, c.next); ok {
		resp.State.Raw = v
	}
	o.trip(ctx, c.diags, c.prior, "read", cloud.After)
}

func (o *object) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	prior := o.encoded(ctx, &resp.Diagnostics, req.State.Raw)
	if resp.Diagnostics.HasError() || !o.trip(ctx, &resp.Diagnostics, prior, "delete", cloud.Before) {
		return
	}
	if err := o.data.Delete(o.typeName(), idOf(prior)); err != nil {
		resp.Diagnostics.AddError("The object can't be deleted", err.Error())
		return
	}
	o.trip(ctx, &resp.Diagnostics, prior, "delete", cloud.After)
}

// ModifyPlan only has the faults of step "plan"; a type with a plan of its own
// calls it first.
func (o *object) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if o.data == nil {
		return
	}
	raw := req.Plan.Raw
	if raw.IsNull() {
		raw = req.State.Raw
	}
	x := o.encoded(ctx, &resp.Diagnostics, raw)
	if !resp.Diagnostics.HasError() && o.trip(ctx, &resp.Diagnostics, x, "plan", cloud.Before) {
		o.trip(ctx, &resp.Diagnostics, x, "plan", cloud.After)
	}
}

func (o *object) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("id"), req, resp)
}
