package main

import (
	"context"
	"errors"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// kind is what differs between resource types; the calls below are the same
// for all of them.
type kind struct {
	name   string
	schema *schema.Resource

	// decide fills what the cloud itself chooses. It runs before an object is
	// stored; isNew tells a create from an update.
	decide func(ctx context.Context, d *schema.ResourceData, c *cloud.Cloud, isNew bool) diag.Diagnostics

	// after runs when the object is stored.
	after func(ctx context.Context, d *schema.ResourceData, c *cloud.Cloud, isNew bool) diag.Diagnostics

	// seen runs when an object has been read.
	seen func(ctx context.Context, d *schema.ResourceData, c *cloud.Cloud) diag.Diagnostics

	// secret adds what goes to the cloud but never to the state.
	secret func(d *schema.ResourceData, o cloud.Object)
}

// managed makes a resource type of a kind: stored in the folder, importable by
// id, with failures on demand at every step.
func managed(k kind) *schema.Resource {
	r := k.schema
	r.CreateContext = k.create
	r.ReadContext = k.read
	r.DeleteContext = k.delete
	if k.canUpdate() {
		r.UpdateContext = k.update
	}
	if r.Importer == nil {
		r.Importer = &schema.ResourceImporter{StateContext: schema.ImportStatePassthroughContext}
	}
	r.CustomizeDiff = k.plan(r.CustomizeDiff)
	return r
}

// canUpdate is false where every argument forces a new object: the SDK refuses
// an update function there.
func (k kind) canUpdate() bool {
	for _, s := range k.schema.SchemaMap() {
		if !s.ForceNew && (s.Optional || s.Required) {
			return true
		}
	}
	return false
}

func (k kind) create(ctx context.Context, d *schema.ResourceData, m any) diag.Diagnostics {
	c := m.(*cloud.Cloud)
	id, err := c.NewID(k.name, text(d, "name"))
	if err != nil {
		return diag.FromErr(err)
	}
	diags := k.trip(ctx, d, c, id, "create", cloud.Before)
	if !diags.HasError() && k.decide != nil {
		diags = append(diags, k.decide(ctx, d, c, true)...)
	}
	if diags.HasError() {
		return diags
	}
	if err := c.Create(k.name, id, k.encode(d)); err != nil {
		return append(diags, diag.FromErr(err)...)
	}
	d.SetId(id)
	return k.finish(ctx, d, c, diags, "create")
}

func (k kind) update(ctx context.Context, d *schema.ResourceData, m any) diag.Diagnostics {
	c := m.(*cloud.Cloud)
	diags := k.trip(ctx, d, c, d.Id(), "update", cloud.Before)
	if !diags.HasError() && k.decide != nil {
		diags = append(diags, k.decide(ctx, d, c, false)...)
	}
	if diags.HasError() {
		// Without this the SDK would save the new values as if they were stored.
		d.Partial(true)
		return diags
	}
	if err := c.Update(k.name, d.Id(), k.encode(d)); err != nil {
		d.Partial(true)
		return append(diags, diag.FromErr(err)...)
	}
	return k.finish(ctx, d, c, diags, "update")
}

// finish is the end of create and update: what may fail when the cloud has
// changed already, then reading back, as real providers do.
func (k kind) finish(ctx context.Context, d *schema.ResourceData, c *cloud.Cloud, diags diag.Diagnostics, step string) diag.Diagnostics {
	if k.after != nil {
		diags = append(diags, k.after(ctx, d, c, step == "create")...)
	}
	diags = append(diags, k.trip(ctx, d, c, d.Id(), step, cloud.After)...)
	if diags.HasError() {
		return diags
	}
	return append(diags, k.load(ctx, d, c)...)
}

func (k kind) read(ctx context.Context, d *schema.ResourceData, m any) diag.Diagnostics {
	c := m.(*cloud.Cloud)
	diags := k.trip(ctx, d, c, d.Id(), "read", cloud.Before)
	if diags.HasError() {
		return diags
	}
	diags = append(diags, k.load(ctx, d, c)...)
	return append(diags, k.trip(ctx, d, c, d.Id(), "read", cloud.After)...)
}

func (k kind) load(ctx context.Context, d *schema.ResourceData, c *cloud.Cloud) diag.Diagnostics {
	o, err := c.Read(k.name, d.Id())
	if errors.Is(err, cloud.ErrNotFound) {
		d.SetId("")
		return nil
	}
	if err != nil {
		return diag.FromErr(err)
	}
	if err := k.decode(d, o); err != nil {
		return diag.FromErr(err)
	}
	if k.seen != nil {
		return k.seen(ctx, d, c)
	}
	return nil
}

func (k kind) delete(ctx context.Context, d *schema.ResourceData, m any) diag.Diagnostics {
	c := m.(*cloud.Cloud)
	diags := k.trip(ctx, d, c, d.Id(), "delete", cloud.Before)
	if diags.HasError() {
		return diags
	}
	if err := c.Delete(k.name, d.Id()); err != nil {
		return append(diags, diag.FromErr(err)...)
	}
	return append(diags, k.trip(ctx, d, c, d.Id(), "delete", cloud.After)...)
}

// plan puts the faults of step "plan" around a type's own CustomizeDiff.
func (k kind) plan(own schema.CustomizeDiffFunc) schema.CustomizeDiffFunc {
	return func(ctx context.Context, d *schema.ResourceDiff, m any) error {
		c, ok := m.(*cloud.Cloud)
		if !ok {
			return nil
		}
		call := cloud.Call{Type: k.name, ID: d.Id(), Step: "plan", Moment: cloud.Before}
		call.Own, _ = d.Get("fail").(string)
		if f := c.Trip(ctx, call); f != nil && !f.Warning {
			return f
		}
		if own != nil {
			if err := own(ctx, d, m); err != nil {
				return err
			}
		}
		call.Moment = cloud.After
		if f := c.Trip(ctx, call); f != nil && !f.Warning {
			return f
		}
		return nil
	}
}

func (k kind) trip(ctx context.Context, d *schema.ResourceData, c *cloud.Cloud, id, step, moment string) diag.Diagnostics {
	f := c.Trip(ctx, cloud.Call{Type: k.name, ID: id, Step: step, Moment: moment, Own: text(d, "fail")})
	if f == nil {
		return nil
	}
	severity := diag.Error
	if f.Warning {
		severity = diag.Warning
	}
	return diag.Diagnostics{{Severity: severity, Summary: f.Text}}
}

// text reads a string argument that the type may not have.
func text(d *schema.ResourceData, key string) string {
	s, _ := d.Get(key).(string)
	return s
}

func path(name string) cty.Path { return cty.GetAttrPath(name) }
