// terraform-provider-modern5 is the part of terraform-provider-modern that
// protocol 5 can express, served as protocol 5: one half translated down from
// protocol 6, the other half spoken natively, both behind one multiplexer.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"

	"terrane.test/peers/modern/provider"
)

func main() {
	debug := flag.Bool("debug", false, "serve for a caller that attaches by itself")
	flag.Parse()
	server, err := provider.ServerFive(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	var options []tf5server.ServeOpt
	if *debug {
		options = append(options, tf5server.WithManagedDebug())
	}
	if err := tf5server.Serve("registry.terraform.io/terrane/modern5", server, options...); err != nil {
		log.Fatal(err)
	}
}
