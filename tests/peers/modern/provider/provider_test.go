package provider

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// The framework judges schemas only when asked for them.
func TestSchemaSix(t *testing.T) {
	resp, err := ServerSix().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range resp.Diagnostics {
		t.Error(d.Summary, d.Detail)
	}
}

func TestSchemaFive(t *testing.T) {
	server, err := ServerFive(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server().GetProviderSchema(context.Background(), &tfprotov5.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range resp.Diagnostics {
		t.Error(d.Summary, d.Detail)
	}
}
