package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	validate "buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	// The fields that arguments end up in are found by name among these.
	_ "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	_ "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	_ "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	_ "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	_ "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	_ "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
	_ "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	_ "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

// Intents are the goals that a turn may have, by the name of the tool that
// reaches them.
func Intents() []string { return []string{DataDiscovery, GenerateSQL, FixSQL, Execute, SearchLog} }

func enum(name string) []string {
	switch name {
	case "final_intent":
		return Intents()
	case "reject_reason":
		return []string{"unsafe", "out_of_scope"}
	default:
		return nil
	}
}

// bounds are what an argument's protobuf field allows.
type bounds struct {
	maxBytes, maxRunes, maxItems uint64
}

// argument is a field of an arguments struct, read once.
type argument struct {
	name, doc string
	index     int
	list      bool
	required  bool
	own       bool // for the router alone: a model is not offered it
	enum      []string
	bounds    bounds
}

// arguments reads a struct type. Every argument is a text or a list of texts.
func arguments(t reflect.Type) ([]argument, error) {
	var out []argument
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		a := argument{
			name: name, doc: f.Tag.Get("doc"), index: i, list: f.Type.Kind() == reflect.Slice,
			required: f.Tag.Get("required") == "true", own: f.Tag.Get("own") == "true", enum: enum(f.Tag.Get("enum")),
		}
		if path := f.Tag.Get("field"); path != "" {
			b, err := boundsOf(protoreflect.FullName(path))
			if err != nil {
				return nil, fmt.Errorf("argument %s of %s: %w", name, t.Name(), err)
			}
			a.bounds = b
		}
		out = append(out, a)
	}
	return out, nil
}

func boundsOf(path protoreflect.FullName) (bounds, error) {
	d, err := protoregistry.GlobalFiles.FindDescriptorByName(path)
	if err != nil {
		return bounds{}, fmt.Errorf("field %s: %w", path, err)
	}
	rules, _ := proto.GetExtension(d.Options(), validate.E_Field).(*validate.FieldRules) // none bound nothing
	return bounds{
		maxBytes: rules.GetString().GetMaxBytes(), maxRunes: rules.GetString().GetMaxLen(),
		maxItems: rules.GetRepeated().GetMaxItems(),
	}, nil
}

// fields are the arguments of a tool as the fields of a struct, read once.
type fields struct {
	of     reflect.Type
	read   func() ([]argument, error)
	schema func() (map[string]any, error)
}

func newFields(of reflect.Type) fields {
	read := sync.OnceValues(func() ([]argument, error) { return arguments(of) })
	return fields{of, read, sync.OnceValues(func() (map[string]any, error) {
		args, err := read()
		if err != nil {
			return nil, err
		}
		return schemaOf(args), nil
	})}
}

// Schema implements Arguments. The schema is made once: it must not be changed.
func (f fields) Schema(context.Context) (map[string]any, error) { return f.schema() }

func schemaOf(args []argument) map[string]any {
	properties, required := map[string]any{}, []any{}
	for _, a := range args {
		if a.own {
			continue
		}
		text := map[string]any{"type": "string"}
		if len(a.enum) > 0 {
			values := make([]any, len(a.enum))
			for i, v := range a.enum {
				values[i] = v
			}
			text["enum"] = values
		}
		if n := max(a.bounds.maxRunes, a.bounds.maxBytes); n > 0 {
			text["maxLength"] = float64(n)
		}
		if a.required {
			required = append(required, a.name)
			text["minLength"] = float64(1)
		}
		if a.list {
			list := map[string]any{"type": "array", "items": text}
			if a.bounds.maxItems > 0 {
				list["maxItems"] = float64(a.bounds.maxItems)
			}
			text = list
		}
		text["description"] = a.doc
		properties[a.name] = text
	}
	return map[string]any{
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	}
}

// ArgumentError says what is wrong with the arguments of a call, in words that
// whoever decides can act on.
type ArgumentError struct {
	Tool     string
	Problems []string
}

// Error implements error.
func (e *ArgumentError) Error() string {
	return fmt.Sprintf("arguments of %s: %s", e.Tool, strings.Join(e.Problems, "; "))
}

// Parse implements Arguments. It returns a pointer to the struct.
func (f fields) Parse(_ context.Context, tool string, raw []byte) (any, error) {
	to := reflect.New(f.of).Interface()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(to); err != nil {
		return nil, &ArgumentError{Tool: tool, Problems: []string{"not the JSON that the schema asks for: " + strings.TrimPrefix(err.Error(), "json: ")}}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, &ArgumentError{Tool: tool, Problems: []string{"one JSON object is expected"}}
	}
	value := reflect.ValueOf(to).Elem()
	args, err := f.read()
	if err != nil {
		return nil, err
	}
	var problems []string
	for _, a := range args {
		problems = append(problems, a.check(value.Field(a.index))...)
	}
	if len(problems) > 0 {
		return nil, &ArgumentError{Tool: tool, Problems: problems}
	}
	return to, nil
}

func (a argument) check(v reflect.Value) []string {
	texts := []string{}
	if a.list {
		texts = v.Interface().([]string)
		if a.bounds.maxItems > 0 && uint64(len(texts)) > a.bounds.maxItems {
			return []string{fmt.Sprintf("%s has %d entries, at most %d are allowed", a.name, len(texts), a.bounds.maxItems)}
		}
	} else if v.String() != "" {
		texts = append(texts, v.String())
	}
	if a.required && len(texts) == 0 {
		return []string{a.name + " is required"}
	}
	var problems []string
	for _, t := range texts {
		switch {
		case a.bounds.maxBytes > 0 && uint64(len(t)) > a.bounds.maxBytes:
			problems = append(problems, fmt.Sprintf("%s is longer than %d bytes", a.name, a.bounds.maxBytes))
		case a.bounds.maxRunes > 0 && uint64(utf8.RuneCountInString(t)) > a.bounds.maxRunes:
			problems = append(problems, fmt.Sprintf("%s is longer than %d characters", a.name, a.bounds.maxRunes))
		case len(a.enum) > 0 && !slices.Contains(a.enum, t):
			problems = append(problems, fmt.Sprintf("%s must be one of %s", a.name, strings.Join(a.enum, ", ")))
		}
	}
	return problems
}
