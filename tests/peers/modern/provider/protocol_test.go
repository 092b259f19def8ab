package provider

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terrane.test/peers/cloud"
)

// What the command line programs at hand do not call yet is tried here: list
// resources, actions, the state store, deferral.

type session struct {
	*testing.T
	ctx    context.Context
	server fullServer
	schema *tfprotov6.GetProviderSchemaResponse
	folder string
}

func start(t *testing.T) *session {
	s := &session{T: t, ctx: context.Background(), server: ServerSix().(fullServer), folder: t.TempDir()}
	var err error
	s.schema, err = s.server.GetProviderSchema(s.ctx, &tfprotov6.GetProviderSchemaRequest{})
	s.fine(err, s.schema.Diagnostics)
	resp, err := s.server.ConfigureProvider(s.ctx, &tfprotov6.ConfigureProviderRequest{
		Config:             s.value(s.schema.Provider, cloud.Object{"folder": s.folder}),
		ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: true},
	})
	s.fine(err, resp.Diagnostics)
	return s
}

func (s *session) fine(err error, diags []*tfprotov6.Diagnostic) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
	for _, d := range diags {
		s.Fatal(d.Summary, d.Detail)
	}
}

// value is an object of a schema; a nil object is null.
func (s *session) value(schema *tfprotov6.Schema, o cloud.Object) *tfprotov6.DynamicValue {
	s.Helper()
	t := schema.ValueType()
	v := tftypes.NewValue(t, nil)
	var err error
	if o != nil {
		v, err = decode(t, o)
	}
	s.fine(err, nil)
	d, err := pack(t, v)
	s.fine(err, nil)
	return d
}

func (s *session) store(file, text string) {
	s.Helper()
	file = filepath.Join(s.folder, file)
	s.fine(os.MkdirAll(filepath.Dir(file), 0o755), nil)
	s.fine(os.WriteFile(file, []byte(text), 0o644), nil)
}

func TestList(t *testing.T) {
	s := start(t)
	for _, name := range []string{"a1", "a2", "a3", "b1"} {
		s.store("modern_identity/"+name+".json", `{"id":"`+name+`","name":"`+name+`","region":"north"}`)
	}
	stream, err := s.server.ListResource(s.ctx, &tfprotov6.ListResourceRequest{
		TypeName:        "modern_identity",
		Config:          s.value(s.schema.ListResourceSchemas["modern_identity"], cloud.Object{"prefix": "a"}),
		IncludeResource: true,
		Limit:           2,
	})
	s.fine(err, nil)
	count := 0
	for r := range stream.Results {
		s.fine(nil, r.Diagnostics)
		if r.Identity == nil || r.Resource == nil || r.DisplayName == "" {
			t.Fatal("an incomplete result")
		}
		count++
	}
	if count != 2 {
		t.Fatal(count, "results instead of 2")
	}
}

func TestAction(t *testing.T) {
	s := start(t)
	stream, err := s.server.InvokeAction(s.ctx, &tfprotov6.InvokeActionRequest{
		ActionType: "modern_touch",
		Config:     s.value(s.schema.ActionSchemas["modern_touch"].Schema, cloud.Object{"note": "n", "steps": 2}),
	})
	s.fine(err, nil)
	progress := 0
	for e := range stream.Events {
		switch e := e.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			progress++
		case tfprotov6.CompletedInvokeActionEventType:
			s.fine(nil, e.Diagnostics)
		}
	}
	if progress != 2 {
		t.Fatal(progress, "steps instead of 2")
	}
}

func TestStateStore(t *testing.T) {
	const store = "modern_folder"
	s := start(t)
	conf, err := s.server.ConfigureStateStore(s.ctx, &tfprotov6.ConfigureStateStoreRequest{
		TypeName:     store,
		Config:       s.value(s.schema.StateStoreSchemas[store], cloud.Object{}),
		Capabilities: &tfprotov6.ConfigureStateStoreClientCapabilities{ChunkSize: 1 << 20},
	})
	s.fine(err, conf.Diagnostics)
	lock, err := s.server.LockState(s.ctx, &tfprotov6.LockStateRequest{TypeName: store, StateID: "x", Operation: "apply"})
	s.fine(err, lock.Diagnostics)
	again, err := s.server.LockState(s.ctx, &tfprotov6.LockStateRequest{TypeName: store, StateID: "x", Operation: "apply"})
	s.fine(err, nil)
	if len(again.Diagnostics) == 0 {
		t.Fatal("a lock was given twice")
	}
	s.store("states/x.tfstate", "state")
	stream, err := s.server.ReadStateBytes(s.ctx, &tfprotov6.ReadStateBytesRequest{TypeName: store, StateID: "x"})
	s.fine(err, nil)
	text := ""
	for c := range stream.Chunks {
		s.fine(nil, c.Diagnostics)
		text += string(c.Bytes)
	}
	if text != "state" {
		t.Fatalf("read %q", text)
	}
	free, err := s.server.UnlockState(s.ctx, &tfprotov6.UnlockStateRequest{TypeName: store, StateID: "x", LockID: lock.LockID})
	s.fine(err, free.Diagnostics)
}

func TestDeferred(t *testing.T) {
	s := start(t)
	schema := s.schema.ResourceSchemas["modern_deferred"]
	plan := func(o cloud.Object) *tfprotov6.Deferred {
		config := s.value(schema, o)
		resp, err := s.server.PlanResourceChange(s.ctx, &tfprotov6.PlanResourceChangeRequest{
			TypeName: "modern_deferred", PriorState: s.value(schema, nil),
			ProposedNewState: config, Config: config,
			ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{DeferralAllowed: true},
		})
		s.fine(err, resp.Diagnostics)
		return resp.Deferred
	}
	if d := plan(cloud.Object{"name": "n", "input": unknown}); d == nil || d.Reason != tfprotov6.DeferredReasonResourceConfigUnknown {
		t.Error("an unknown input should defer")
	}
	if d := plan(cloud.Object{"name": "n", "requires": "file"}); d == nil || d.Reason != tfprotov6.DeferredReasonAbsentPrereq {
		t.Error("an absent file should defer")
	}
	if d := plan(cloud.Object{"name": "n", "input": "i"}); d != nil {
		t.Error("nothing to wait for")
	}
}
