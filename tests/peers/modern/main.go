// terraform-provider-modern is a test provider on terraform-plugin-framework,
// protocol 6. Its cloud is a folder of JSON files.
package main

import (
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"terrane.test/peers/modern/provider"
)

func main() {
	debug := flag.Bool("debug", false, "serve for a caller that attaches by itself")
	flag.Parse()
	var options []tf6server.ServeOpt
	if *debug {
		options = append(options, tf6server.WithManagedDebug())
	}
	err := tf6server.Serve("registry.terraform.io/terrane/modern", provider.ServerSix, options...)
	if err != nil {
		log.Fatal(err)
	}
}
