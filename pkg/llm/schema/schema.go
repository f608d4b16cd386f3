// Package schema makes JSON schemas of Go types and checks JSON against them, so
// that what a model is asked for and what is read from its answer are one thing.
//
// A type is a struct of strings, booleans, numbers, structs and slices of these.
// Tags of a field: json names it; doc describes it; enum lists the values of a
// string (or of a slice's strings) between "|"; max bounds the entries of a slice
// or the characters of a string; optional:"true" lets an answer leave it out;
// verbatim is for llm.Ask.
// Every property is "required" in the schema and no other is allowed, which is
// what endpoints with strict output want; Check is milder: optional ones may be
// missing and unknown ones are passed over.
package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
)

// Schema is the JSON schema of a Go type.
type Schema struct {
	root *node
}

// node is the schema of a value.
type node struct {
	kind     string // object, array, string, boolean, integer, number
	doc      string
	enum     []string
	max      int // 0: no bound
	items    *node
	fields   []field // of an object, in their order
	optional bool
}

type field struct {
	name string
	node *node
}

// For returns the schema of T. An error tells of a type or tag that the package
// does not know: a mistake of the programmer, which a test finds.
func For[T any]() (*Schema, error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("schema of %s: a struct is needed", t)
	}
	root, err := read(t, "", 0)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	return &Schema{root: root}, nil
}

// maxDepth bounds nesting; types that hold themselves end there.
const maxDepth = 8

func read(t reflect.Type, tag reflect.StructTag, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("more than %d levels deep", maxDepth)
	}
	n := &node{doc: tag.Get("doc"), optional: tag.Get("optional") == "true"}
	if m := tag.Get("max"); m != "" {
		var err error
		if n.max, err = strconv.Atoi(m); err != nil || n.max < 1 {
			return nil, fmt.Errorf("tag max:%q is no positive number", m)
		}
	}
	switch t.Kind() {
	case reflect.String:
		n.kind = "string"
		if e := tag.Get("enum"); e != "" {
			n.enum = strings.Split(e, "|")
		}
	case reflect.Bool:
		n.kind = "boolean"
	case reflect.Int, reflect.Int32, reflect.Int64:
		n.kind = "integer"
	case reflect.Float64:
		n.kind = "number"
	case reflect.Slice:
		n.kind = "array"
		var of reflect.StructTag
		if e := tag.Get("enum"); e != "" {
			of = reflect.StructTag(`enum:` + strconv.Quote(e))
		}
		var err error
		if n.items, err = read(t.Elem(), of, depth+1); err != nil {
			return nil, err
		}
	case reflect.Struct:
		n.kind = "object"
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name == "-" {
				return nil, fmt.Errorf("field %s has no json name", f.Name)
			}
			child, err := read(f.Type, f.Tag, depth+1)
			if err != nil {
				return nil, fmt.Errorf("field %s: %w", f.Name, err)
			}
			n.fields = append(n.fields, field{name, child})
		}
	default:
		return nil, fmt.Errorf("kind %s is not known", t.Kind())
	}
	return n, nil
}

// Map returns the schema as JSON values.
func (s *Schema) Map() map[string]any { return s.root.toMap() }

func (n *node) toMap() map[string]any {
	m := map[string]any{"type": n.kind}
	if n.doc != "" {
		m["description"] = n.doc
	}
	if len(n.enum) > 0 {
		values := make([]any, len(n.enum))
		for i, v := range n.enum {
			values[i] = v
		}
		m["enum"] = values
	}
	switch n.kind {
	case "array":
		m["items"] = n.items.toMap()
		if n.max > 0 {
			m["maxItems"] = n.max
		}
	case "object":
		properties, required := map[string]any{}, []any{}
		for _, f := range n.fields {
			properties[f.name] = f.node.toMap()
			required = append(required, f.name)
		}
		m["properties"], m["required"], m["additionalProperties"] = properties, required, false
	}
	return m
}

// Outline describes the schema in a few lines, for prompts of models whose
// endpoint does not hold them to a schema:
//
//	{"outcome": one of "a", "b" (what it is), "scopes": [{"mart": string}] (at most 4)}
func (s *Schema) Outline() string {
	var b strings.Builder
	s.root.outline(&b, "")
	return b.String()
}

func (n *node) outline(b *strings.Builder, indent string) {
	switch n.kind {
	case "object":
		b.WriteString("{\n")
		for i, f := range n.fields {
			b.WriteString(indent + "  " + strconv.Quote(f.name) + ": ")
			f.node.outline(b, indent+"  ")
			if i < len(n.fields)-1 {
				b.WriteString(",")
			}
			if note := f.node.note(); note != "" {
				b.WriteString("  // " + note)
			}
			b.WriteString("\n")
		}
		b.WriteString(indent + "}")
	case "array":
		b.WriteString("[")
		n.items.outline(b, indent)
		b.WriteString(", ...]")
	default:
		if len(n.enum) > 0 {
			quoted := make([]string, len(n.enum))
			for i, v := range n.enum {
				quoted[i] = strconv.Quote(v)
			}
			b.WriteString(strings.Join(quoted, " | "))
			return
		}
		b.WriteString(n.kind)
	}
}

func (n *node) note() string {
	if n.kind == "array" && n.max > 0 {
		return strings.TrimPrefix(n.doc+"; at most "+strconv.Itoa(n.max), "; ")
	}
	return n.doc
}

// Check reads JSON and says what in it is not as the schema asks, in words that
// whoever wrote it can act on; nil where all is well.
func (s *Schema) Check(raw []byte) []string {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return []string{"it is not valid JSON: " + err.Error()}
	}
	var problems []string
	s.root.check("", value, &problems)
	return problems
}

// Bounds of what Check tells.
const (
	maxProblems = 8
	maxQuoted   = 60 // characters of what a model wrote
)

func (n *node) check(path string, value any, problems *[]string) {
	if len(*problems) >= maxProblems {
		return
	}
	at := path
	if at == "" {
		at = "the answer"
	}
	say := func(format string, args ...any) { *problems = append(*problems, at+" "+fmt.Sprintf(format, args...)) }
	switch v := value.(type) {
	case map[string]any:
		if n.kind != "object" {
			say("must be of type %s", n.kind)
			return
		}
		n.checkFields(path, v, problems)
	case []any:
		if n.kind != "array" {
			say("must be of type %s", n.kind)
			return
		}
		if n.max > 0 && len(v) > n.max {
			say("has %d entries, at most %d are allowed", len(v), n.max)
		}
		for i, item := range v {
			n.items.check(fmt.Sprintf("%s[%d]", path, i), item, problems)
		}
	case string:
		n.checkText(v, say)
	case bool:
		if n.kind != "boolean" {
			say("must be of type %s", n.kind)
		}
	case float64:
		if n.kind != "number" && (n.kind != "integer" || v != float64(int64(v))) {
			say("must be of type %s", n.kind)
		}
	default:
		if !n.optional {
			say("must be of type %s, not null", n.kind)
		}
	}
}

func (n *node) checkFields(path string, object map[string]any, problems *[]string) {
	for _, f := range n.fields {
		value, ok := object[f.name]
		name := strings.TrimPrefix(path+"."+f.name, ".")
		switch {
		case ok:
			f.node.check(name, value, problems)
		case !f.node.optional:
			*problems = append(*problems, name+" is missing")
		}
	}
}

func (n *node) checkText(v string, say func(string, ...any)) {
	if n.kind != "string" {
		say("must be of type %s", n.kind)
		return
	}
	if len(n.enum) > 0 && !(n.optional && v == "") && !slices.Contains(n.enum, v) {
		say("is %q and must be one of %s", lang.Shorten(v, maxQuoted), strings.Join(n.enum, ", "))
	}
	if n.max > 0 && len([]rune(v)) > n.max {
		say("is longer than %d characters", n.max)
	}
}
