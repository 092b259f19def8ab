package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"terrane.test/peers/cloud"
)

// encode turns what the SDK holds into an object for the folder. Zero values
// are left out: the SDK cannot tell them from unset ones.
func (k kind) encode(d *schema.ResourceData) cloud.Object {
	o := cloud.Object{}
	for name, s := range k.schema.SchemaMap() {
		if s.WriteOnly {
			continue
		}
		v := encodeValue(d.Get(name))
		if s.StateFunc != nil {
			v = written(d, name)
		}
		if !isZero(v) {
			o[name] = v
		}
	}
	if k.secret != nil {
		k.secret(d, o)
	}
	return o
}

// written is what the user wrote, where the state has what StateFunc made of it.
func written(d *schema.ResourceData, name string) any {
	v, diags := d.GetRawConfigAt(path(name))
	if diags.HasError() || v.IsNull() || !v.IsKnown() {
		return nil
	}
	return v.AsString()
}

func encodeValue(v any) any {
	switch v := v.(type) {
	case *schema.Set:
		return encodeValue(v.List())
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = encodeValue(e)
		}
		return list
	case map[string]any:
		m := map[string]any{}
		for key, e := range v {
			m[key] = encodeValue(e)
		}
		return m
	default:
		return v
	}
}

func isZero(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	default:
		return reflect.ValueOf(v).IsZero()
	}
}

// decode gives the SDK what the folder holds. What is missing in the file is
// unset, so that drift by deleting a line is seen.
func (k kind) decode(d *schema.ResourceData, o cloud.Object) error {
	for name, s := range k.schema.SchemaMap() {
		if s.WriteOnly {
			continue
		}
		v, err := decodeValue(s, o[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := d.Set(name, v); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func decodeValue(s *schema.Schema, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	// The cloud has what the user wrote; the state has what StateFunc makes of it.
	if s.StateFunc != nil {
		return s.StateFunc(v), nil
	}
	switch s.Type {
	case schema.TypeInt, schema.TypeFloat:
		return decodeNumber(s.Type, v)
	case schema.TypeList, schema.TypeSet:
		return decodeList(s.Elem, v)
	case schema.TypeMap:
		return decodeMap(s.Elem, v)
	default:
		return v, nil
	}
}

func decodeNumber(t schema.ValueType, v any) (any, error) {
	n, ok := v.(json.Number)
	if !ok {
		return nil, fmt.Errorf("a number is needed, the file has %v", v)
	}
	if t == schema.TypeInt {
		return strconv.Atoi(n.String())
	}
	return n.Float64()
}

func decodeList(elem, v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("a list is needed, the file has %v", v)
	}
	out := make([]any, len(list))
	for i, e := range list {
		x, err := decodeElem(elem, e)
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		out[i] = x
	}
	return out, nil
}

func decodeMap(elem, v any) (any, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("a map is needed, the file has %v", v)
	}
	out := map[string]any{}
	for key, e := range m {
		x, err := decodeElem(elem, e)
		if err != nil {
			return nil, fmt.Errorf("[%q]: %w", key, err)
		}
		out[key] = x
	}
	return out, nil
}

func decodeElem(elem, v any) (any, error) {
	r, ok := elem.(*schema.Resource)
	if !ok {
		return decodeValue(elem.(*schema.Schema), v)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("an object is needed, the file has %v", v)
	}
	out := map[string]any{}
	for name, s := range r.SchemaMap() {
		if s.WriteOnly {
			continue
		}
		x, err := decodeValue(s, m[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if x != nil {
			out[name] = x
		}
	}
	return out, nil
}
