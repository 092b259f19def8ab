// terraform-provider-legacy is a test provider on terraform-plugin-sdk,
// protocol 5. Its cloud is a folder of JSON files.
package main

import (
	"flag"

	"github.com/hashicorp/terraform-plugin-sdk/v2/plugin"
)

func main() {
	debug := flag.Bool("debug", false, "serve for a caller that attaches by itself")
	flag.Parse()
	plugin.Serve(&plugin.ServeOpts{
		ProviderFunc: newProvider,
		ProviderAddr: "registry.terraform.io/terrane/legacy",
		Debug:        *debug,
	})
}
