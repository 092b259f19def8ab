package provider

import (
	"context"
	"encoding/json"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terrane.test/peers/cloud"
)

// The data sources.

// source is what they share.
type source struct {
	name string
	data *data
}

func (s *source) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + s.name
}

func (s *source) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	if req.ProviderData != nil {
		s.data = req.ProviderData.(*data)
	}
}

// dataObject reads any object of the folder as JSON text.
type dataObject struct{ source }

func newDataObject() datasource.DataSource { return &dataObject{source{name: "object"}} }

func (s *dataObject) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "Any object of the cloud, as JSON.",
		Attributes: map[string]schema.Attribute{
			"type": schema.StringAttribute{Required: true},
			"id":   schema.StringAttribute{Required: true},
			"json": schema.StringAttribute{Computed: true},
		},
	}
}

func (s *dataObject) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m struct {
		Type types.String `tfsdk:"type"`
		ID   types.String `tfsdk:"id"`
		JSON types.String `tfsdk:"json"`
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	o, err := s.data.Read(m.Type.ValueString(), m.ID.ValueString())
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("id"), "The object can't be read", err.Error())
		return
	}
	text, _ := json.Marshal(o)
	m.JSON = types.StringValue(string(text))
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// dataNetwork has the name of a resource type, and a block as a filter.
type dataNetwork struct{ source }

func newDataNetwork() datasource.DataSource { return &dataNetwork{source{name: "network"}} }

func (s *dataNetwork) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"id":   schema.StringAttribute{Optional: true, Computed: true},
			"cidr": schema.StringAttribute{Computed: true},
			"tags": schema.MapAttribute{Computed: true, ElementType: types.StringType},
			"all":  schema.SetAttribute{Computed: true, ElementType: types.StringType},
		},
		Blocks: map[string]schema.Block{
			"filter": schema.SetNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
				"cidr": schema.StringAttribute{Required: true},
			}}},
		},
	}
}

func (s *dataNetwork) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	t := req.Config.Schema.Type().TerraformType(ctx)
	in, err := encodeObject(t, req.Config.Raw)
	if err != nil {
		resp.Diagnostics.AddError("A value can't be encoded", err.Error())
		return
	}
	ids, err := s.data.List(s.data.prefix + "_network")
	if err != nil {
		resp.Diagnostics.AddError("The folder can't be read", err.Error())
		return
	}
	all := []any{}
	for _, id := range ids {
		o, err := s.data.Read(s.data.prefix+"_network", id)
		if err != nil || !matches(o, in) {
			continue
		}
		all = append(all, id)
		in["id"], in["cidr"], in["tags"] = id, o["cidr"], o["tags"]
	}
	if len(all) == 0 {
		resp.Diagnostics.AddError("No network", "No network matches.")
		return
	}
	in["all"] = all
	if v, err := decode(t, in); err != nil {
		resp.Diagnostics.AddError("A value can't be decoded", err.Error())
	} else {
		resp.State.Raw = v
	}
}

func matches(o, wanted cloud.Object) bool {
	if id := text(wanted, "id"); id != "" && id != text(o, "id") {
		return false
	}
	filters, _ := wanted["filter"].([]any)
	for _, f := range filters {
		if text(f.(cloud.Object), "cidr") != text(o, "cidr") {
			return false
		}
	}
	return true
}

// dataFolder lists objects as nested attributes.
type dataFolder struct{ source }

func newDataFolder() datasource.DataSource { return &dataFolder{source{name: "folder"}} }

func (s *dataFolder) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"type": schema.StringAttribute{Required: true},
		"objects": schema.ListNestedAttribute{Computed: true, NestedObject: schema.NestedAttributeObject{
			Attributes: map[string]schema.Attribute{
				"id":   schema.StringAttribute{Computed: true},
				"file": schema.StringAttribute{Computed: true},
			},
		}},
	}}
}

func (s *dataFolder) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	type file struct {
		ID   string `tfsdk:"id"`
		File string `tfsdk:"file"`
	}
	var m struct {
		Type    string `tfsdk:"type"`
		Objects []file `tfsdk:"objects"`
	}
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("type"), &m.Type)...)
	ids, err := s.data.List(m.Type)
	if err != nil {
		resp.Diagnostics.AddError("The folder can't be read", err.Error())
		return
	}
	m.Objects = []file{}
	for _, id := range ids {
		m.Objects = append(m.Objects, file{ID: id, File: m.Type + "/" + id + ".json"})
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// dataDynamic gives back what it gets, of any type.
type dataDynamic struct{ source }

func newDataDynamic() datasource.DataSource { return &dataDynamic{source{name: "echo"}} }

func (s *dataDynamic) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"in":  schema.DynamicAttribute{Optional: true},
		"out": schema.DynamicAttribute{Computed: true},
	}}
}

func (s *dataDynamic) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var in types.Dynamic
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("in"), &in)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("in"), in)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("out"), in)...)
}

// dataFailing fails, defers or ends the process, as asked.
type dataFailing struct{ source }

func newDataFailing() datasource.DataSource { return &dataFailing{source{name: "failing"}} }

func (s *dataFailing) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		DeprecationMessage: "nobody needs a data source that fails",
		Attributes:         map[string]schema.Attribute{"how": schema.StringAttribute{Required: true}},
	}
}

func (s *dataFailing) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var how string
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("how"), &how)...)
	switch how {
	case "error":
		resp.Diagnostics.AddAttributeError(path.Root("how"), "Failed on demand", "As asked.")
	case "warning":
		resp.Diagnostics.AddAttributeWarning(path.Root("how"), "Warned on demand", "As asked.")
	case "defer":
		if req.ClientCapabilities.DeferralAllowed {
			resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonAbsentPrereq}
			return
		}
	case "panic":
		panic("failed on demand")
	case "exit":
		os.Exit(1)
	}
	resp.State.Raw = req.Config.Raw
}
