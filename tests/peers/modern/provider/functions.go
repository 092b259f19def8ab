package provider

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The functions: one table row each.

// call is a function of the provider.
type call struct {
	name       string
	definition function.Definition
	run        func(ctx context.Context, req function.RunRequest, resp *function.RunResponse) *function.FuncError
}

func (c call) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = c.name
}

func (c call) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = c.definition
}

func (c call) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	resp.Error = c.run(ctx, req, resp)
}

var idParts = map[string]attr.Type{"region": types.StringType, "name": types.StringType}

func functions() []call {
	return []call{
		{name: "greet", run: runGreet, definition: function.Definition{
			Summary: "Greets", Description: "Greets somebody by name.",
			Parameters: []function.Parameter{function.StringParameter{Name: "name", Description: "Whom."}},
			Return:     function.StringReturn{},
		}},
		{name: "greet_old", run: runGreet, definition: function.Definition{
			Summary: "Greets, as it did before", DeprecationMessage: "use greet",
			Parameters: []function.Parameter{function.StringParameter{Name: "name"}},
			Return:     function.StringReturn{},
		}},
		{name: "join", run: runJoin, definition: function.Definition{
			Summary: "Joins", MarkdownDescription: "Joins *any number* of parts.",
			Parameters:        []function.Parameter{function.StringParameter{Name: "separator"}},
			VariadicParameter: function.StringParameter{Name: "parts", MarkdownDescription: "The **parts**."},
			Return:            function.StringReturn{},
		}},
		{name: "echo", run: runEcho, definition: function.Definition{
			Summary:    "Gives back what it gets",
			Parameters: []function.Parameter{function.DynamicParameter{Name: "any", AllowNullValue: true}},
			Return:     function.DynamicReturn{},
		}},
		{name: "or_default", run: runOrDefault, definition: function.Definition{
			Summary: "The first argument, or the second if it is null",
			Parameters: []function.Parameter{
				function.StringParameter{Name: "value", AllowNullValue: true},
				function.StringParameter{Name: "default"},
			},
			Return: function.StringReturn{},
		}},
		{name: "ignore", run: runIgnore, definition: function.Definition{
			Summary:    "Always the same, even for a value that is not known yet",
			Parameters: []function.Parameter{function.StringParameter{Name: "value", AllowUnknownValues: true}},
			Return:     function.BoolReturn{},
		}},
		{name: "parse_id", run: runParseID, definition: function.Definition{
			Summary:    "Splits REGION/NAME",
			Parameters: []function.Parameter{function.StringParameter{Name: "id"}},
			Return:     function.ObjectReturn{AttributeTypes: idParts},
		}},
		{name: "sum", run: runSum, definition: function.Definition{
			Summary:    "Adds, exactly",
			Parameters: []function.Parameter{function.ListParameter{Name: "numbers", ElementType: types.NumberType}},
			Return:     function.NumberReturn{},
		}},
		{name: "fail", run: runFail, definition: function.Definition{
			Summary:    "Fails, by the argument given or as a whole",
			Parameters: []function.Parameter{function.Int64Parameter{Name: "argument"}, function.StringParameter{Name: "text"}},
			Return:     function.StringReturn{},
		}},
	}
}

func runGreet(ctx context.Context, req function.RunRequest, resp *function.RunResponse) *function.FuncError {
	var name string
	if err := req.Arguments.Get(ctx, &name); err != nil {
		return err
	}
	return resp.Result.Set(ctx, "Hello, "+name+"!")
}

func runJoin(ctx context.Context, req function.RunRequest, resp *function.RunResponse) *function.FuncError {
	var separator string
	var parts []string
	if err := req.Arguments.Get(ctx, &separator, &parts); err != nil {
		return err
	}
	return resp.Result.Set(ctx, strings.Join(parts, separator))
}

func runEcho(ctx context.Context, req function.RunRequest, resp *function.RunResponse) *function.FuncError {
	var any types.Dynamic
	if err := req.Arguments.Get(ctx, &any); err != nil {
		return err
	}
	return resp.Result.Set(ctx, any)
}

func runOrDefault(ctx context.Context, req function.RunRequest, resp *function.RunResponse) *function.FuncError {
	var value *string
	var otherwise string
	if err := req.Arguments.Get(ctx, &value, &otherwise); err != nil {
		return err
	}
	if value != nil {
		otherwise = *value
	}
	return resp.Result.Set(ctx, otherwise)
}

func runIgnore(ctx context.Context, req function.RunRequest, resp *function.RunResponse) *function.FuncError {
	var value types.String
	if err := req.Arguments.Get(ctx, &value); err != nil {
		return err
	}
	return resp.Result.Set(ctx, true)
}

func runParseID(ctx context.Context, req function.RunRequest, resp *function.RunResponse) *function.FuncError {
	var id string
	if err := req.Arguments.Get(ctx, &id); err != nil {
		return err
	}
	region, name, ok := strings.Cut(id, "/")
	if !ok {
		return function.NewArgumentFuncError(0, fmt.Sprintf("%q is not of the form REGION/NAME", id))
	}
	return resp.Result.Set(ctx, types.ObjectValueMust(idParts, map[string]attr.Value{
		"region": types.StringValue(region), "name": types.StringValue(name),
	}))
}

func runSum(ctx context.Context, req function.RunRequest, resp *function.RunResponse) *function.FuncError {
	var numbers []*big.Float
	if err := req.Arguments.Get(ctx, &numbers); err != nil {
		return err
	}
	sum := new(big.Float).SetPrec(numberBits)
	for _, n := range numbers {
		sum.Add(sum, n)
	}
	return resp.Result.Set(ctx, sum)
}

func runFail(ctx context.Context, req function.RunRequest, _ *function.RunResponse) *function.FuncError {
	var argument int64
	var text string
	if err := req.Arguments.Get(ctx, &argument, &text); err != nil {
		return err
	}
	if argument < 0 {
		return function.NewFuncError(text)
	}
	return function.NewArgumentFuncError(argument, text)
}
