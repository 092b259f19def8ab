package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/statestore"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf5muxserver"
	"github.com/hashicorp/terraform-plugin-mux/tf6to5server"
)

// How the provider is served, and what it has besides resources: the two
// halves of modern5 must not name a thing twice, so the native half has none
// of these.

func (p *modern) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	if p.half == native {
		return nil
	}
	return []func() ephemeral.EphemeralResource{newToken, newGlimpse}
}

func (p *modern) Functions(context.Context) []func() function.Function {
	if p.half == native {
		return nil
	}
	var all []func() function.Function
	for _, c := range functions() {
		all = append(all, func() function.Function { return c })
	}
	return all
}

func (p *modern) Actions(context.Context) []func() action.Action {
	if p.half == native {
		return nil
	}
	return []func() action.Action{newTouch}
}

// ListResources goes with the resources of the same name.
func (p *modern) ListResources(context.Context) []func() list.ListResource {
	switch p.half {
	case plain:
		return []func() list.ListResource{newListIdentity}
	case native:
		return []func() list.ListResource{newListNetwork}
	}
	return []func() list.ListResource{newListIdentity, newListNetwork}
}

func (p *modern) StateStores(context.Context) []func() statestore.StateStore {
	if p.half != everything {
		return nil
	}
	return []func() statestore.StateStore{newFolderStore}
}

// ServerSix is terraform-provider-modern.
func ServerSix() tfprotov6.ProviderServer {
	p := &modern{name: "modern", half: everything}
	return newRaw(p, providerserver.NewProtocol6(p)())
}

// ServerFive makes terraform-provider-modern5.
func ServerFive(ctx context.Context) (func() tfprotov5.ProviderServer, error) {
	translated, err := tf6to5server.DowngradeServer(ctx,
		providerserver.NewProtocol6(&modern{name: "modern5", half: plain}))
	if err != nil {
		return nil, err
	}
	mux, err := tf5muxserver.NewMuxServer(ctx,
		func() tfprotov5.ProviderServer { return translated },
		providerserver.NewProtocol5(&modern{name: "modern5", half: native}),
	)
	if err != nil {
		return nil, err
	}
	return mux.ProviderServer, nil
}
