package main

import (
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// collections has lists, sets and maps of primitives, and collections of
// collections.
func collections() *schema.Resource {
	of := func(t schema.ValueType) *schema.Schema { return &schema.Schema{Type: t} }
	nested := func(t, inner schema.ValueType) *schema.Schema {
		return &schema.Schema{Type: t, Elem: of(inner)}
	}
	return managed(kind{name: "legacy_collections", schema: &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":          {Type: schema.TypeString, Optional: true, ForceNew: true},
			"strings":       {Type: schema.TypeList, Optional: true, Elem: of(schema.TypeString)},
			"numbers":       {Type: schema.TypeList, Optional: true, Elem: of(schema.TypeInt)},
			"floats":        {Type: schema.TypeList, Optional: true, Elem: of(schema.TypeFloat)},
			"flags":         {Type: schema.TypeList, Optional: true, Elem: of(schema.TypeBool)},
			"string_set":    {Type: schema.TypeSet, Optional: true, Elem: of(schema.TypeString)},
			"number_set":    {Type: schema.TypeSet, Optional: true, Elem: of(schema.TypeInt)},
			"tags":          {Type: schema.TypeMap, Optional: true, Elem: of(schema.TypeString)},
			"limits":        {Type: schema.TypeMap, Optional: true, Elem: of(schema.TypeInt)},
			"switches":      {Type: schema.TypeMap, Optional: true, Elem: of(schema.TypeBool)},
			"rates":         {Type: schema.TypeMap, Optional: true, Elem: of(schema.TypeFloat)},
			"rows":          {Type: schema.TypeList, Optional: true, Elem: nested(schema.TypeList, schema.TypeString)},
			"groups":        {Type: schema.TypeList, Optional: true, Elem: nested(schema.TypeSet, schema.TypeString)},
			"pairs":         {Type: schema.TypeList, Optional: true, Elem: nested(schema.TypeMap, schema.TypeString)},
			"bounded":       {Type: schema.TypeList, Optional: true, MinItems: 1, MaxItems: 3, Elem: of(schema.TypeString)},
			"computed_list": {Type: schema.TypeList, Optional: true, Computed: true, Elem: of(schema.TypeString)},
		},
	}})
}
