package provider

import (
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terrane.test/peers/cloud"
)

// Values travel between Terraform's types and the JSON of the folder. Unknown
// has no JSON form, so it has a mark of its own until the cloud decides.
type unknownMark struct{}

var unknown = unknownMark{}

// numberBits is the precision of Terraform's own numbers.
const numberBits = 512

// encodeObject turns a plan, a state or a configuration into an object.
func encodeObject(t tftypes.Type, v tftypes.Value) (cloud.Object, error) {
	if v.IsNull() {
		return nil, nil
	}
	x, err := encode(t, v)
	if err != nil {
		return nil, err
	}
	o, _ := x.(cloud.Object)
	return o, nil
}

func encode(t tftypes.Type, v tftypes.Value) (any, error) {
	switch {
	case !v.IsKnown():
		return unknown, nil
	case v.IsNull():
		return nil, nil
	case t.Is(tftypes.DynamicPseudoType):
		return encodeDynamic(v)
	case t.Is(tftypes.String):
		var s string
		err := v.As(&s)
		return s, err
	case t.Is(tftypes.Bool):
		var b bool
		err := v.As(&b)
		return b, err
	case t.Is(tftypes.Number):
		var n big.Float
		err := v.As(&n)
		return json.Number(n.Text('f', -1)), err
	}
	return encodeCompound(t, v)
}

// encodeDynamic keeps the type beside the value, or reading back could not
// tell a list from a set.
func encodeDynamic(v tftypes.Value) (any, error) {
	text, err := v.Type().MarshalJSON() //nolint:staticcheck // the only form there is
	if err != nil {
		return nil, err
	}
	var typeForm any
	if err := json.Unmarshal(text, &typeForm); err != nil {
		return nil, err
	}
	value, err := encode(v.Type(), v)
	return cloud.Object{"type": typeForm, "value": value}, err
}

func encodeCompound(t tftypes.Type, v tftypes.Value) (any, error) {
	switch t := t.(type) {
	case tftypes.List:
		return encodeList(func(int) tftypes.Type { return t.ElementType }, v)
	case tftypes.Set:
		return encodeList(func(int) tftypes.Type { return t.ElementType }, v)
	case tftypes.Tuple:
		return encodeList(func(i int) tftypes.Type { return t.ElementTypes[i] }, v)
	case tftypes.Map:
		return encodeMap(func(string) tftypes.Type { return t.ElementType }, v)
	case tftypes.Object:
		return encodeMap(func(name string) tftypes.Type { return t.AttributeTypes[name] }, v)
	}
	return nil, fmt.Errorf("no JSON form for type %s", t)
}

func encodeList(elem func(int) tftypes.Type, v tftypes.Value) (any, error) {
	var in []tftypes.Value
	if err := v.As(&in); err != nil {
		return nil, err
	}
	out := make([]any, len(in))
	for i, e := range in {
		x, err := encode(elem(i), e)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

func encodeMap(elem func(string) tftypes.Type, v tftypes.Value) (any, error) {
	var in map[string]tftypes.Value
	if err := v.As(&in); err != nil {
		return nil, err
	}
	out := cloud.Object{}
	for key, e := range in {
		x, err := encode(elem(key), e)
		if err != nil {
			return nil, err
		}
		out[key] = x
	}
	return out, nil
}

// decode is the way back; what is missing in an object is null, so that a line
// deleted by hand is drift.
func decode(t tftypes.Type, v any) (tftypes.Value, error) {
	switch v := v.(type) {
	case nil:
		return tftypes.NewValue(t, nil), nil
	case unknownMark:
		return tftypes.NewValue(t, tftypes.UnknownValue), nil
	case string:
		if t.Is(tftypes.String) {
			return tftypes.NewValue(t, v), nil
		}
	case bool:
		if t.Is(tftypes.Bool) {
			return tftypes.NewValue(t, v), nil
		}
	case json.Number:
		if t.Is(tftypes.Number) {
			return decodeNumber(v.String())
		}
	case int:
		return decode(t, json.Number(fmt.Sprint(v)))
	case []any:
		return decodeList(t, v)
	case cloud.Object:
		return decodeObject(t, v)
	}
	return tftypes.Value{}, fmt.Errorf("the file has %v where %s is needed", v, t)
}

func decodeNumber(text string) (tftypes.Value, error) {
	n, _, err := big.ParseFloat(text, 10, numberBits, big.ToNearestEven)
	if err != nil {
		return tftypes.Value{}, err
	}
	return tftypes.NewValue(tftypes.Number, n), nil
}

func decodeList(t tftypes.Type, in []any) (tftypes.Value, error) {
	elem := func(int) tftypes.Type { return nil }
	switch t := t.(type) {
	case tftypes.List:
		elem = func(int) tftypes.Type { return t.ElementType }
	case tftypes.Set:
		elem = func(int) tftypes.Type { return t.ElementType }
	case tftypes.Tuple:
		if len(in) != len(t.ElementTypes) {
			return tftypes.Value{}, fmt.Errorf("the file has %d elements where %s is needed", len(in), t)
		}
		elem = func(i int) tftypes.Type { return t.ElementTypes[i] }
	default:
		return tftypes.Value{}, fmt.Errorf("the file has a list where %s is needed", t)
	}
	out := make([]tftypes.Value, len(in))
	for i, e := range in {
		x, err := decode(elem(i), e)
		if err != nil {
			return tftypes.Value{}, fmt.Errorf("[%d]: %w", i, err)
		}
		out[i] = x
	}
	return tftypes.NewValue(t, out), nil
}

func decodeObject(t tftypes.Type, in cloud.Object) (tftypes.Value, error) {
	if t.Is(tftypes.DynamicPseudoType) {
		return decodeDynamic(in)
	}
	out := map[string]tftypes.Value{}
	put := func(name string, t tftypes.Type, v any) error {
		x, err := decode(t, v)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		out[name] = x
		return nil
	}
	switch t := t.(type) {
	case tftypes.Map:
		for name, v := range in {
			if err := put(name, t.ElementType, v); err != nil {
				return tftypes.Value{}, err
			}
		}
	case tftypes.Object:
		for name, at := range t.AttributeTypes {
			if err := put(name, at, in[name]); err != nil {
				return tftypes.Value{}, err
			}
		}
	default:
		return tftypes.Value{}, fmt.Errorf("the file has an object where %s is needed", t)
	}
	return tftypes.NewValue(t, out), nil
}

func decodeDynamic(in cloud.Object) (tftypes.Value, error) {
	text, err := json.Marshal(in["type"])
	if err != nil {
		return tftypes.Value{}, err
	}
	t, err := tftypes.ParseJSONType(text) //nolint:staticcheck // the only form there is
	if err != nil {
		return tftypes.Value{}, err
	}
	return decode(t, in["value"])
}

// settle gives every unknown value that no hook has decided something plausible
// and always the same: it is the cloud's choice.
func settle(t tftypes.Type, name string, v any) any {
	switch v := v.(type) {
	case unknownMark:
		return chosen(t, name)
	case []any:
		for i := range v {
			v[i] = settle(elementType(t, "", i), name, v[i])
		}
	case cloud.Object:
		if t.Is(tftypes.DynamicPseudoType) {
			return v
		}
		for key := range v {
			v[key] = settle(elementType(t, key, 0), key, v[key])
		}
	}
	return v
}

func elementType(t tftypes.Type, key string, i int) tftypes.Type {
	switch t := t.(type) {
	case tftypes.List:
		return t.ElementType
	case tftypes.Set:
		return t.ElementType
	case tftypes.Map:
		return t.ElementType
	case tftypes.Object:
		return t.AttributeTypes[key]
	case tftypes.Tuple:
		return t.ElementTypes[i]
	}
	return t
}

func chosen(t tftypes.Type, name string) any {
	switch {
	case t.Is(tftypes.String):
		return "chosen-" + name
	case t.Is(tftypes.Number):
		return json.Number("7")
	case t.Is(tftypes.Bool):
		return true
	case t.Is(tftypes.DynamicPseudoType):
		return cloud.Object{"type": "string", "value": "chosen-" + name}
	}
	switch t := t.(type) {
	case tftypes.Object:
		o := cloud.Object{}
		for key, at := range t.AttributeTypes {
			o[key] = chosen(at, key)
		}
		return o
	case tftypes.Map:
		return cloud.Object{"first": chosen(t.ElementType, name)}
	case tftypes.List:
		return []any{chosen(t.ElementType, name)}
	case tftypes.Set:
		return []any{chosen(t.ElementType, name)}
	}
	return nil
}

// withSecrets adds what the configuration has and the plan has not: exactly the
// write-only values. They go to the cloud, never to the state.
func withSecrets(next, config any) any {
	switch n := next.(type) {
	case nil:
		return config
	case cloud.Object:
		c, ok := config.(cloud.Object)
		if !ok {
			return next
		}
		out := cloud.Object{}
		for key, v := range n {
			out[key] = withSecrets(v, c[key])
		}
		return out
	case []any:
		c, ok := config.([]any)
		if !ok || len(c) != len(n) {
			return next
		}
		out := make([]any, len(n))
		for i, v := range n {
			out[i] = withSecrets(v, c[i])
		}
		return out
	}
	return next
}
