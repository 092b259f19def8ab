package provider

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The ephemeral resources.

// token is opened, renewed and closed; each of it is noted in the journal.
type token struct{ data *data }

func newToken() ephemeral.EphemeralResource { return &token{} }

func (t *token) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_token"
}

func (t *token) Configure(_ context.Context, req ephemeral.ConfigureRequest, _ *ephemeral.ConfigureResponse) {
	if req.ProviderData != nil {
		t.data = req.ProviderData.(*data)
	}
}

func (t *token) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A token that lives as long as it is *needed*.",
		Attributes: map[string]schema.Attribute{
			"user":        schema.StringAttribute{Required: true},
			"lives":       schema.StringAttribute{Optional: true, Description: "How long until it must be renewed, such as 2s."},
			"fail":        schema.StringAttribute{Optional: true, Description: "open, renew or close"},
			"token":       schema.StringAttribute{Computed: true, Sensitive: true},
			"valid_until": schema.StringAttribute{Computed: true},
		},
	}
}

// lease is what has to be remembered between open, renew and close.
type lease struct {
	User, Lives, Fail string
	Renewed           int
}

func (l lease) renewAt() time.Time {
	d, err := time.ParseDuration(l.Lives)
	if err != nil {
		return time.Time{}
	}
	return time.Now().Add(d)
}

func (t *token) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var m struct {
		User  types.String `tfsdk:"user"`
		Lives types.String `tfsdk:"lives"`
		Fail  types.String `tfsdk:"fail"`
		Token types.String `tfsdk:"token"`
		Until types.String `tfsdk:"valid_until"`
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	l := lease{User: m.User.ValueString(), Lives: m.Lives.ValueString(), Fail: m.Fail.ValueString()}
	t.data.Note("open token/" + l.User)
	if l.Fail == "open" {
		resp.Diagnostics.AddAttributeError(path.Root("fail"), "A failure on demand", "Opening failed.")
		return
	}
	m.Token, m.Until = types.StringValue("token-of-"+l.User), types.StringValue(t.data.Now())
	resp.Diagnostics.Append(resp.Result.Set(ctx, &m)...)
	resp.RenewAt = l.renewAt()
	text, _ := json.Marshal(l)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, "lease", text)...)
}

func (t *token) Renew(ctx context.Context, req ephemeral.RenewRequest, resp *ephemeral.RenewResponse) {
	var l lease
	text, more := req.Private.GetKey(ctx, "lease")
	resp.Diagnostics.Append(more...)
	if err := json.Unmarshal(text, &l); err != nil {
		resp.Diagnostics.AddError("Private data is lost", err.Error())
		return
	}
	t.data.Note("renew token/" + l.User)
	if l.Fail == "renew" {
		resp.Diagnostics.AddError("A failure on demand", "Renewing failed.")
		return
	}
	l.Renewed++
	resp.RenewAt = l.renewAt()
	text, _ = json.Marshal(l)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, "lease", text)...)
}

func (t *token) Close(ctx context.Context, req ephemeral.CloseRequest, resp *ephemeral.CloseResponse) {
	var l lease
	text, more := req.Private.GetKey(ctx, "lease")
	resp.Diagnostics.Append(more...)
	if err := json.Unmarshal(text, &l); err != nil {
		resp.Diagnostics.AddError("Private data is lost", err.Error())
		return
	}
	t.data.Note("close token/" + l.User)
	if l.Fail == "close" {
		resp.Diagnostics.AddError("A failure on demand", "Closing failed.")
	}
}

// glimpse only opens: no renewal, no close, and it defers where it may.
type glimpse struct{}

func newGlimpse() ephemeral.EphemeralResource { return glimpse{} }

func (glimpse) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_glimpse"
}

func (glimpse) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"input":  schema.StringAttribute{Optional: true},
			"defer":  schema.BoolAttribute{Optional: true},
			"output": schema.ListAttribute{Computed: true, ElementType: types.StringType},
		},
		Blocks: map[string]schema.Block{
			"option": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
				"key": schema.StringAttribute{Required: true},
			}}},
		},
	}
}

func (glimpse) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var input types.String
	var wait types.Bool
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("input"), &input)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("defer"), &wait)...)
	if wait.ValueBool() && req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &ephemeral.Deferred{Reason: ephemeral.DeferredReasonAbsentPrereq}
		return
	}
	resp.Result.Raw = req.Config.Raw
	resp.Diagnostics.Append(resp.Result.SetAttribute(ctx, path.Root("output"), []string{input.ValueString(), "seen"})...)
}
