package main

import (
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// stateFunc stores something else than the user wrote: a checksum, lower case,
// tidy JSON. The plan shows the stored form already.
func stateFunc() *schema.Resource {
	return managed(kind{name: "legacy_statefunc", schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":    {Type: schema.TypeString, Required: true, ForceNew: true, StateFunc: lower},
			"content": {Type: schema.TypeString, Optional: true, StateFunc: func(v any) string { return checksum(v.(string)) }},
			"policy":  {Type: schema.TypeString, Optional: true, StateFunc: tidy},
			"hosts":   {Type: schema.TypeSet, Optional: true, Elem: &schema.Schema{Type: schema.TypeString, StateFunc: lower}},
			"comment": {Type: schema.TypeString, Optional: true},
		},
	}})
}

func lower(v any) string { return strings.ToLower(v.(string)) }

func tidy(v any) string {
	var x any
	if json.Unmarshal([]byte(v.(string)), &x) != nil {
		return v.(string)
	}
	text, _ := json.Marshal(x)
	return string(text)
}
