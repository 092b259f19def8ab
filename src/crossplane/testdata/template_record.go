// Records what Go's text/template makes of the cases in template.json: go run template_record.go < template.json > new.json
// `data` is what the templates speak of. `out` is the text, `error` (true) says that Go refuses the template or stops in it.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/template"
)

type testCase struct {
	Template string `json:"template"`
	Out      string `json:"out"`
	Error    bool   `json:"error,omitempty"`
	Refused  bool   `json:"refused,omitempty"` // known to Go, but not to Terrane
}

// Whole numbers as such: Go would read them as floating point and write 1e+06.
func whole(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = whole(v[k])
		}
	}
	return v
}

// strings.Join for a list as JSON has it.
func join(list []any, between string) (string, error) {
	texts := make([]string, len(list))
	for i := range list {
		text, ok := list[i].(string)
		if !ok {
			return "", fmt.Errorf("%v is not a text", list[i])
		}
		texts[i] = text
	}
	return strings.Join(texts, between), nil
}

func main() {
	var file struct {
		About string            `json:"about"`
		Data  json.RawMessage   `json:"data"`
		Cases []json.RawMessage `json:"cases"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&file); err != nil {
		panic(err)
	}
	about, _ := json.Marshal(file.About)
	fmt.Printf("{\n\"about\": %s,\n\"data\": %s,\n\"cases\": [\n", about, file.Data)
	for i, raw := range file.Cases {
		var c testCase
		if err := json.Unmarshal(raw, &c); err != nil {
			panic(err)
		}
		c.Out, c.Error = "", false
		functions := template.FuncMap{"ToLower": strings.ToLower, "ToUpper": strings.ToUpper, "Join": join,
			"Replace": strings.Replace, "Split": strings.Split}
		var out bytes.Buffer
		t, err := template.New("id").Funcs(functions).Parse(c.Template)
		if err == nil {
			var data any
			decoder := json.NewDecoder(bytes.NewReader(file.Data))
			decoder.UseNumber()
			if err := decoder.Decode(&data); err != nil {
				panic(err)
			}
			err = t.Execute(&out, whole(data))
		}
		c.Error = err != nil
		if err == nil {
			c.Out = out.String()
		}
		var line bytes.Buffer
		encoder := json.NewEncoder(&line)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(c); err != nil {
			panic(err)
		}
		end := ","
		if i == len(file.Cases)-1 {
			end = ""
		}
		fmt.Printf("%s%s\n", strings.TrimSuffix(line.String(), "\n"), end)
	}
	fmt.Println("]}")
}
