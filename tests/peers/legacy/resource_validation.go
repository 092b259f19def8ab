package main

import (
	"fmt"
	"regexp"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/validation"
)

// validations refuses bad input in every way the SDK has: relations between
// arguments, functions for one value, diagnostics with a path of their own.
func validations() *schema.Resource {
	return managed(kind{name: "legacy_validation", schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":        {Type: schema.TypeString, Required: true, ForceNew: true, ValidateFunc: validation.StringMatch(regexp.MustCompile(`^[a-z][a-z0-9-]*$`), "lower case letters, digits and dashes")},
			"inline":      {Type: schema.TypeString, Optional: true, ExactlyOneOf: []string{"inline", "file", "url"}},
			"file":        {Type: schema.TypeString, Optional: true, ExactlyOneOf: []string{"inline", "file", "url"}},
			"url":         {Type: schema.TypeString, Optional: true, ExactlyOneOf: []string{"inline", "file", "url"}, ValidateFunc: validation.IsURLWithHTTPS},
			"email":       {Type: schema.TypeString, Optional: true, AtLeastOneOf: []string{"email", "phone"}},
			"phone":       {Type: schema.TypeString, Optional: true, AtLeastOneOf: []string{"email", "phone"}},
			"public":      {Type: schema.TypeBool, Optional: true, ConflictsWith: []string{"private_key"}},
			"private_key": {Type: schema.TypeString, Optional: true, Sensitive: true, RequiredWith: []string{"certificate"}},
			"certificate": {Type: schema.TypeString, Optional: true, RequiredWith: []string{"private_key"}},
			"percent":     {Type: schema.TypeInt, Optional: true, ValidateFunc: validation.IntBetween(0, 100)},
			"even":        {Type: schema.TypeInt, Optional: true, ValidateDiagFunc: isEven},
			"kind":        {Type: schema.TypeString, Optional: true, ValidateDiagFunc: warnOldKind},
			"rule": {Type: schema.TypeList, Optional: true, MaxItems: 2, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"port": {Type: schema.TypeInt, Required: true, ValidateFunc: validation.IsPortNumber},
			}}},
		},
	}})
}

func isEven(v any, p cty.Path) diag.Diagnostics {
	if v.(int)%2 == 0 {
		return nil
	}
	return diag.Diagnostics{{
		Severity: diag.Error, Summary: "An even number is needed",
		Detail: fmt.Sprintf("%d is odd.", v), AttributePath: p,
	}}
}

func warnOldKind(v any, p cty.Path) diag.Diagnostics {
	if v != "old" {
		return nil
	}
	return diag.Diagnostics{{
		Severity: diag.Warning, Summary: "An old kind",
		Detail: "The kind \"old\" works, but not for ever.", AttributePath: p,
	}}
}
