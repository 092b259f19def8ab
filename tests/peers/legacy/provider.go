package main

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/validation"

	"terrane.test/peers/cloud"
)

// resources is the one list of resource types; each lives in a file of its own.
var resources = map[string]func() *schema.Resource{
	"legacy_blocks":             blocks,
	"legacy_blocks_as_attrs":    blocksAsAttributes,
	"legacy_blocks_deep":        blocksDeep,
	"legacy_collections":        collections,
	"legacy_computed":           computed,
	"legacy_computed_blocks":    computedBlocks,
	"legacy_customdiff":         customDiff,
	"legacy_customdiff_replace": customDiffReplace,
	"legacy_default":            defaults,
	"legacy_deprecated":         deprecated,
	"legacy_deprecated_whole":   deprecatedWhole,
	"legacy_diffsuppress":       diffSuppress,
	"legacy_faulty":             faulty,
	"legacy_forcenew":           forceNew,
	"legacy_forcenew_blocks":    forceNewBlocks,
	"legacy_identity":           identity,
	"legacy_identity_mutable":   identityMutable,
	"legacy_immutable":          immutable,
	"legacy_import_composite":   importComposite,
	"legacy_import_none":        importNone,
	"legacy_inconsistent":       inconsistent,
	"legacy_meta":               meta,
	"legacy_minimal":            minimal,
	"legacy_network":            network,
	"legacy_partial":            partial,
	"legacy_primitives":         primitives,
	"legacy_restless":           restless,
	"legacy_sensitive":          sensitive,
	"legacy_server":             server,
	"legacy_sets":               sets,
	"legacy_statefunc":          stateFunc,
	"legacy_strict":             strict,
	"legacy_timeouts":           timeouts,
	"legacy_upgrade":            upgrade,
	"legacy_validation":         validations,
	"legacy_warnings":           warnings,
	"legacy_writeonly":          writeOnly,
	"legacy_writeonly_nested":   writeOnlyNested,
}

var dataSources = map[string]func() *schema.Resource{
	"legacy_object":  dataObject,
	"legacy_folder":  dataFolder,
	"legacy_failing": dataFailing,
	"legacy_network": dataNetwork,
}

func newProvider() *schema.Provider {
	p := &schema.Provider{
		Schema:             providerSchema(),
		ProviderMetaSchema: providerMeta(),
		ResourcesMap:       map[string]*schema.Resource{},
		DataSourcesMap:     map[string]*schema.Resource{},
		ConfigureProvider:  configure,
	}
	for name, make := range resources {
		p.ResourcesMap[name] = make()
	}
	for name, make := range dataSources {
		p.DataSourcesMap[name] = make()
	}
	return p
}

func providerSchema() map[string]*schema.Schema {
	return map[string]*schema.Schema{
		"folder": {
			Type:        schema.TypeString,
			Optional:    true,
			Description: "The folder that is the cloud; else the environment variable TERRANE_TEST_CLOUD.",
			DefaultFunc: schema.EnvDefaultFunc("TERRANE_TEST_CLOUD", nil),
		},
		"token": {
			Type:        schema.TypeString,
			Optional:    true,
			Sensitive:   true,
			Description: "Any text but \"wrong\", which makes configuring fail.",
		},
		"fail": {
			Type:        schema.TypeMap,
			Optional:    true,
			Elem:        &schema.Schema{Type: schema.TypeString},
			Description: "Failures on demand, by resource type.",
		},
		"ids": {
			Type:         schema.TypeString,
			Optional:     true,
			Default:      "random",
			ValidateFunc: validation.StringInSlice([]string{"random", "sequence"}, false),
			Description:  "How objects without a name get their id.",
		},
		"clock": {
			Type:         schema.TypeString,
			Optional:     true,
			ValidateFunc: validation.IsRFC3339Time,
			Description:  "The time that is now, for ever.",
		},
		"retries": {
			Type:         schema.TypeInt,
			Optional:     true,
			Deprecated:   "the folder never needs a second try",
			ValidateFunc: validation.IntBetween(0, 10),
		},
		"defer": {
			Type:        schema.TypeBool,
			Optional:    true,
			Description: "Answer \"deferred\" for everything, if the caller allows it.",
		},
		"endpoint": {
			Type:        schema.TypeList,
			Optional:    true,
			MaxItems:    1,
			Description: "Settings nobody calls, in the shape real providers have.",
			Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"url":      {Type: schema.TypeString, Required: true, ValidateFunc: validation.IsURLWithHTTPorHTTPS},
				"password": {Type: schema.TypeString, Optional: true, Sensitive: true},
				"headers":  {Type: schema.TypeMap, Optional: true, Elem: &schema.Schema{Type: schema.TypeString}},
			}},
		},
		"ignore_tags": {
			Type:     schema.TypeSet,
			Optional: true,
			Elem:     &schema.Schema{Type: schema.TypeString},
		},
	}
}

// providerMeta is what a module may say in terraform { provider_meta "legacy" {} }.
func providerMeta() map[string]*schema.Schema {
	return map[string]*schema.Schema{
		"module_name": {Type: schema.TypeString, Optional: true},
	}
}

func configure(ctx context.Context, req schema.ConfigureProviderRequest, resp *schema.ConfigureProviderResponse) {
	d := req.ResourceData
	if d.Get("token") == "wrong" {
		resp.Diagnostics = diag.Diagnostics{{
			Severity:      diag.Error,
			Summary:       "The token is refused",
			Detail:        "The provider was configured with a token that the cloud does not accept.",
			AttributePath: path("token"),
		}}
		return
	}
	if d.Get("defer").(bool) && req.DeferralAllowed {
		resp.Deferred = &schema.Deferred{Reason: schema.DeferredReasonProviderConfigUnknown}
	}
	c, err := cloud.Open(d.Get("folder").(string))
	if err != nil {
		resp.Diagnostics = diag.FromErr(err)
		return
	}
	c.Sequence = d.Get("ids") == "sequence"
	if clock := d.Get("clock").(string); clock != "" {
		c.Clock = clock
	}
	c.Faults = map[string]string{}
	for k, v := range d.Get("fail").(map[string]any) {
		c.Faults[k] = v.(string)
	}
	if os.Getenv("TERRANE_TEST_EXIT_ON_CONFIGURE") != "" {
		os.Exit(7)
	}
	resp.Meta = c
}
