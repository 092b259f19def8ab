package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terrane.test/peers/cloud"
)

// Three resource types speak the protocol without the framework, because it can't
// express them: blocks nested as map and group, bounds on blocks, values of any
// type in blocks, and unknown values with refinements. They are answered in front of the framework's server.

// fullServer is everything the framework's server can do.
type fullServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
	tfprotov6.StateStoreServer
}

type raw struct {
	fullServer
	provider *modern
}

// rawKind is a resource type of this kind.
type rawKind struct {
	schema *tfprotov6.Schema

	// open marks what the cloud will choose, decide chooses it, and refine is
	// what is promised about it in between.
	open   func(planned cloud.Object)
	decide func(o cloud.Object)
	refine func(planned *tfprotov6.DynamicValue, t tftypes.Type) (*tfprotov6.DynamicValue, error)
}

// wireType is the type core encodes with: a list or map block that holds values
// of any type is itself of any type. The plugin library does not know that.
func (k rawKind) wireType() tftypes.Type {
	t := k.schema.ValueType().(tftypes.Object)
	for name, at := range t.AttributeTypes {
		if hasDynamic(elementType(at, "", 0)) {
			t.AttributeTypes[name] = tftypes.DynamicPseudoType
		}
	}
	return t
}

func hasDynamic(t tftypes.Type) bool {
	o, ok := t.(tftypes.Object)
	if !ok {
		return false
	}
	for _, at := range o.AttributeTypes {
		if at.Is(tftypes.DynamicPseudoType) {
			return true
		}
	}
	return false
}

var rawKinds = map[string]rawKind{
	"modern_raw_blocks":  rawBlocks(),
	"modern_raw_dynamic": rawDynamic(),
	"modern_raw_refined": rawRefined(),
}

func newRaw(p *modern, s tfprotov6.ProviderServer) tfprotov6.ProviderServer {
	return &raw{fullServer: s.(fullServer), provider: p}
}

func complain(summary string, err error) []*tfprotov6.Diagnostic {
	return []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: summary, Detail: err.Error()}}
}

func (r *raw) GetMetadata(ctx context.Context, req *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	resp, err := r.fullServer.GetMetadata(ctx, req)
	for name := range rawKinds {
		resp.Resources = append(resp.Resources, tfprotov6.ResourceMetadata{TypeName: name})
	}
	return resp, err
}

func (r *raw) GetProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	resp, err := r.fullServer.GetProviderSchema(ctx, req)
	for name, kind := range rawKinds {
		resp.ResourceSchemas[name] = kind.schema
	}
	return resp, err
}

func (r *raw) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	if _, ok := rawKinds[req.TypeName]; ok {
		return &tfprotov6.ValidateResourceConfigResponse{}, nil
	}
	return r.fullServer.ValidateResourceConfig(ctx, req)
}

func (r *raw) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	kind, ok := rawKinds[req.TypeName]
	if !ok {
		return r.fullServer.UpgradeResourceState(ctx, req)
	}
	resp := &tfprotov6.UpgradeResourceStateResponse{}
	t := kind.wireType()
	v, err := req.RawState.UnmarshalWithOpts(t, tfprotov6.UnmarshalOpts{
		ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true},
	})
	if err == nil {
		resp.UpgradedState, err = pack(t, v)
	}
	if err != nil {
		resp.Diagnostics = complain("The state can't be read", err)
	}
	return resp, nil
}

func (r *raw) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	kind, ok := rawKinds[req.TypeName]
	if !ok {
		return r.fullServer.ReadResource(ctx, req)
	}
	resp := &tfprotov6.ReadResourceResponse{Private: req.Private}
	t := kind.wireType()
	prior, err := unpack(t, req.CurrentState)
	if err == nil {
		resp.NewState, err = r.read(req.TypeName, t, idOf(prior))
	}
	if err != nil {
		resp.Diagnostics = complain("The object can't be read", err)
	}
	return resp, nil
}

// read gives a null value for an object that is gone.
func (r *raw) read(typeName string, t tftypes.Type, id string) (*tfprotov6.DynamicValue, error) {
	o, err := r.provider.data.Read(typeName, id)
	if errors.Is(err, cloud.ErrNotFound) {
		return pack(t, tftypes.NewValue(t, nil))
	}
	if err != nil {
		return nil, err
	}
	return packObject(t, o)
}

func (r *raw) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	kind, ok := rawKinds[req.TypeName]
	if !ok {
		return r.fullServer.PlanResourceChange(ctx, req)
	}
	resp := &tfprotov6.PlanResourceChangeResponse{PlannedPrivate: req.PriorPrivate}
	if err := kind.plan(req, resp); err != nil {
		resp.Diagnostics = complain("The change can't be planned", err)
	}
	return resp, nil
}

// plan opens computed values if anything changes, and replaces the object for
// another name.
func (k rawKind) plan(req *tfprotov6.PlanResourceChangeRequest, resp *tfprotov6.PlanResourceChangeResponse) error {
	t := k.wireType()
	resp.PlannedState = req.ProposedNewState
	next, err := req.ProposedNewState.Unmarshal(t)
	if err != nil || next.IsNull() {
		return err
	}
	before, err := req.PriorState.Unmarshal(t)
	if err != nil || next.Equal(before) {
		return err
	}
	planned, err := encodeObject(t, next)
	if err != nil {
		return err
	}
	k.open(planned)
	if before.IsNull() {
		planned["id"] = unknown
	} else if prior, _ := encodeObject(t, before); prior["name"] != planned["name"] {
		resp.RequiresReplace = []*tftypes.AttributePath{tftypes.NewAttributePath().WithAttributeName("name")}
	}
	resp.PlannedState, err = packObject(t, planned)
	if err == nil && k.refine != nil {
		resp.PlannedState, err = k.refine(resp.PlannedState, t)
	}
	return err
}

func (r *raw) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	kind, ok := rawKinds[req.TypeName]
	if !ok {
		return r.fullServer.ApplyResourceChange(ctx, req)
	}
	resp := &tfprotov6.ApplyResourceChangeResponse{Private: req.PlannedPrivate, NewState: req.PriorState}
	if err := r.apply(kind, req, resp); err != nil {
		resp.Diagnostics = complain("The change failed", err)
	}
	return resp, nil
}

func (r *raw) apply(kind rawKind, req *tfprotov6.ApplyResourceChangeRequest, resp *tfprotov6.ApplyResourceChangeResponse) error {
	t := kind.wireType()
	prior, err := unpack(t, req.PriorState)
	if err != nil {
		return err
	}
	next, err := unpack(t, req.PlannedState)
	if err != nil {
		return err
	}
	if next == nil {
		resp.NewState = req.PlannedState
		return r.provider.data.Delete(req.TypeName, idOf(prior))
	}
	if next["id"] == unknown {
		next["id"] = next["name"]
	}
	kind.decide(next)
	next = settle(t, "", next).(cloud.Object)
	if prior == nil {
		err = r.provider.data.Create(req.TypeName, idOf(next), next)
	} else {
		err = r.provider.data.Update(req.TypeName, idOf(prior), next)
	}
	if err != nil {
		return err
	}
	resp.NewState, err = packObject(t, next)
	return err
}

func (r *raw) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	kind, ok := rawKinds[req.TypeName]
	if !ok {
		return r.fullServer.ImportResourceState(ctx, req)
	}
	resp := &tfprotov6.ImportResourceStateResponse{}
	state, err := r.read(req.TypeName, kind.wireType(), req.ID)
	if err != nil {
		resp.Diagnostics = complain("The object can't be imported", err)
		return resp, nil
	}
	resp.ImportedResources = []*tfprotov6.ImportedResource{{TypeName: req.TypeName, State: state}}
	return resp, nil
}

func pack(t tftypes.Type, v tftypes.Value) (*tfprotov6.DynamicValue, error) {
	d, err := tfprotov6.NewDynamicValue(t, v)
	return &d, err
}

func packObject(t tftypes.Type, o cloud.Object) (*tfprotov6.DynamicValue, error) {
	v, err := decode(t, o)
	if err != nil {
		return nil, err
	}
	return pack(t, v)
}

func unpack(t tftypes.Type, d *tfprotov6.DynamicValue) (cloud.Object, error) {
	v, err := d.Unmarshal(t)
	if err != nil {
		return nil, err
	}
	return encodeObject(t, v)
}
