package provider

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// newMove takes over the state of other types by a "moved" block: of any
// provider's "..._faulty" by schema, of any provider's "..._network" by raw JSON.
func newMove() resource.Resource {
	return &moved{object{name: "move", schema: fixed(schema.Schema{
		Attributes: withName(attributes{
			"text":       optionalText(),
			"moved_from": schema.StringAttribute{Computed: true, Optional: true},
		}),
	})}}
}

type moved struct{ object }

func (*moved) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{
		{StateMover: moveByRaw},
		{SourceSchema: faultySchema(), StateMover: moveBySchema},
	}
}

// moveBySchema understands the type "faulty", whose schema it names.
func moveBySchema(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	if !strings.HasSuffix(req.SourceTypeName, "_faulty") || req.SourceState == nil {
		return
	}
	for _, name := range []string{"id", "name", "text"} {
		var s *string
		resp.Diagnostics.Append(req.SourceState.GetAttribute(ctx, path.Root(name), &s)...)
		resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root(name), s)...)
	}
	resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root("moved_from"), req.SourceTypeName)...)
}

func moveByRaw(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	if !strings.HasSuffix(req.SourceTypeName, "_network") {
		return
	}
	var old struct {
		ID, Name, Description *string
	}
	if err := json.Unmarshal(req.SourceRawState.JSON, &old); err != nil {
		resp.Diagnostics.AddError("The state to move is wrong", err.Error())
		return
	}
	resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root("id"), old.ID)...)
	resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root("name"), old.Name)...)
	resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root("text"), old.Description)...)
	resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root("moved_from"), req.SourceTypeName)...)
	if resp.TargetPrivate != nil {
		resp.Diagnostics.Append(resp.TargetPrivate.SetKey(ctx, "moved", []byte(`true`))...)
	}
}

// Read finds an object that was moved under its old type, and files it anew,
// as a cloud would that never had two types.
func (m *moved) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	x := m.encoded(ctx, &resp.Diagnostics, req.State.Raw)
	from := text(x, "moved_from")
	if from != "" && m.data.Exists(from+"/"+idOf(x)+".json") {
		if err := m.data.Create(m.typeName(), idOf(x), x); err == nil {
			_ = m.data.Cloud.Delete(from, idOf(x))
		}
	}
	m.object.Read(ctx, req, resp)
}
