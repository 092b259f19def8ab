// Package provider is the test provider on terraform-plugin-framework.
package provider

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/metaschema"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terrane.test/peers/cloud"
)

// resources is the one list of resource types; each lives in a file of its own.
var resources = []func() resource.Resource{
	newBlocks, newBlocksDeep, newCollections, newComposite, newComputed,
	newDefaults, newDeferred, newDeprecated, newDeprecatedWhole, newDescribed,
	newDynamic, newFaulty, newIdentity, newIdentityMutable, newImmutable,
	newInconsistent, newMeta, newMinimal, newMove, newNamed, newNormalised,
	newNumbers, newObjects, newOptionalComputed, newPartial, newPlanned,
	newPrimitives, newPrivate, newReplace, newRestless, newSensitive, newSets,
	newTimeouts, newUpgrade, newUseState, newValidated, newWarnings,
	newWriteOnly, newWriteOnlyReplace,
}

// resourcesNative are those that modern5 serves natively, beside the others,
// which are translated.
var resourcesNative = []func() resource.Resource{newNetwork, newServer, newSubnet}

// resourcesSix need nested attributes, which only protocol 6 has.
var resourcesSix = []func() resource.Resource{
	newNestedComputed, newNestedDeep, newNestedDefaults, newNestedList,
	newNestedMap, newNestedReplace, newNestedSensitive, newNestedSet,
	newNestedSingle, newNestedWriteOnly, newTimeoutsAttribute,
}

// half says which resource types an instance of the provider has.
type half int

const (
	everything half = iota // all, protocol 6
	plain                  // what protocol 5 can do
	native                 // the few that modern5 serves without translation
)

type modern struct {
	name string
	half half
	data *data // once configured
}

// data is what the provider hands to its resources.
type data struct {
	*cloud.Cloud
	prefix string
}

func (p *modern) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = p.name
	resp.Version = "1.0.0"
}

func (p *modern) Resources(context.Context) []func() resource.Resource {
	switch p.half {
	case plain:
		return resources
	case native:
		return resourcesNative
	}
	all := append([]func() resource.Resource{}, resources...)
	all = append(all, resourcesNative...)
	return append(all, resourcesSix...)
}

func (p *modern) DataSources(context.Context) []func() datasource.DataSource {
	switch p.half {
	case plain:
		return []func() datasource.DataSource{newDataObject, newDataFailing, newDataDynamic}
	case native:
		return []func() datasource.DataSource{newDataNetwork}
	}
	return []func() datasource.DataSource{newDataObject, newDataFailing, newDataDynamic, newDataNetwork, newDataFolder}
}

func (p *modern) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A provider whose cloud is a **folder of JSON files**.",
		Attributes: map[string]schema.Attribute{
			"folder": schema.StringAttribute{
				Optional:    true,
				Description: "The folder that is the cloud; else the environment variable TERRANE_TEST_CLOUD.",
			},
			"token": schema.StringAttribute{
				Optional: true, Sensitive: true,
				Description: "Any text but \"wrong\", which makes configuring fail.",
			},
			"fail": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				Description: "Failures on demand, by resource type.",
			},
			"ids": schema.StringAttribute{
				Optional:    true,
				Validators:  []validator.String{stringvalidator.OneOf("random", "sequence")},
				Description: "How objects without a name get their id.",
			},
			"clock":   schema.StringAttribute{Optional: true, Description: "The time that is now, for ever."},
			"defer":   schema.BoolAttribute{Optional: true, Description: "Answer \"deferred\" for everything, if the caller allows it."},
			"retries": schema.Int64Attribute{Optional: true, DeprecationMessage: "the folder never needs a second try"},
		},
		Blocks: map[string]schema.Block{
			"endpoint": schema.ListNestedBlock{
				NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
					"url":      schema.StringAttribute{Required: true},
					"password": schema.StringAttribute{Optional: true, Sensitive: true},
				}},
			},
			"defaults": schema.SingleNestedBlock{
				Attributes: map[string]schema.Attribute{
					"tags": schema.MapAttribute{Optional: true, ElementType: types.StringType},
				},
			},
		},
	}
	if p.half == everything {
		resp.Schema.Attributes["credentials"] = credentials()
		return
	}
	// The whole provider is deprecated: the one place for such a warning.
	resp.Schema.DeprecationMessage = "use the provider \"modern\", which speaks protocol 6"
}

// credentials is a nested attribute, with one within it.
func credentials() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		Attributes: map[string]schema.Attribute{
			"user":     schema.StringAttribute{Required: true},
			"password": schema.StringAttribute{Required: true, Sensitive: true},
			"roles": schema.ListNestedAttribute{
				Optional: true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name":     schema.StringAttribute{Required: true},
					"duration": schema.Int64Attribute{Optional: true},
				}},
			},
		},
	}
}

// MetaSchema is what a module may say in a provider_meta block.
func (p *modern) MetaSchema(_ context.Context, _ provider.MetaSchemaRequest, resp *provider.MetaSchemaResponse) {
	resp.Schema = metaschema.Schema{Attributes: map[string]metaschema.Attribute{
		"module_name": metaschema.StringAttribute{Optional: true, Description: "Who asks."},
		"labels":      metaschema.MapAttribute{Optional: true, ElementType: types.StringType},
	}}
}

func (p *modern) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	if settingText(ctx, req.Config, "folder", &resp.Diagnostics) == "/" {
		resp.Diagnostics.AddAttributeError(path.Root("folder"), "Not this folder", "The root folder is no cloud.")
	}
}

func (p *modern) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	text := func(name string) string { return settingText(ctx, req.Config, name, &resp.Diagnostics) }
	if text("token") == "wrong" {
		resp.Diagnostics.AddAttributeError(path.Root("token"), "The token is refused",
			"The provider was configured with a token that the cloud does not accept.")
		return
	}
	var wait types.Bool
	var faults map[string]string
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("defer"), &wait)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("fail"), &faults)...)
	if wait.ValueBool() && req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
	}
	c, err := cloud.Open(text("folder"))
	if err != nil {
		resp.Diagnostics.AddError("The cloud can't be opened", err.Error())
		return
	}
	c.Sequence = text("ids") == "sequence"
	c.Faults = faults
	if clock := text("clock"); clock != "" {
		c.Clock = clock
	}
	if os.Getenv("TERRANE_TEST_EXIT_ON_CONFIGURE") != "" {
		os.Exit(7)
	}
	d := &data{Cloud: c, prefix: p.name}
	p.data = d
	resp.ResourceData, resp.DataSourceData, resp.EphemeralResourceData = d, d, d
	resp.ActionData, resp.ListResourceData, resp.StateStoreData = d, d, d
}

// settingText is a string setting, empty where it is null or unknown.
func settingText(ctx context.Context, config tfsdk.Config, name string, diags *diag.Diagnostics) string {
	var s types.String
	diags.Append(config.GetAttribute(ctx, path.Root(name), &s)...)
	return s.ValueString()
}
