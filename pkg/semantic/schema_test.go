package semantic

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// node is the part of JSON schema that the layer's schema uses.
type node struct {
	Ref        string           `json:"$ref"`
	Type       string           `json:"type"`
	Properties map[string]*node `json:"properties"`
	Additional *bool            `json:"additionalProperties"`
	Required   []string         `json:"required"`
	Items      *node            `json:"items"`
	AnyOf      []*node          `json:"anyOf"`
	Enum       []string         `json:"enum"`
	Pattern    string           `json:"pattern"`
	MinLength  int              `json:"minLength"`
	MinItems   int              `json:"minItems"`
	Minimum    *int             `json:"minimum"`
	Maximum    *int             `json:"maximum"`
	Defs       map[string]*node `json:"$defs"`
}

func readSchema(t *testing.T) *node {
	t.Helper()
	var root node
	require.NoError(t, json.Unmarshal(Schema(), &root))
	return &root
}

func (n *node) deref(root *node) *node {
	if n.Ref == "" {
		return n
	}
	return root.Defs[strings.TrimPrefix(n.Ref, "#/$defs/")]
}

// validate returns why a value does not fit, empty where it does.
func (n *node) validate(root *node, path string, v any) string {
	n = n.deref(root)
	if len(n.AnyOf) > 0 {
		for _, one := range n.AnyOf {
			if one.validate(root, path, v) == "" {
				return ""
			}
		}
		return path + ": none of the forms"
	}
	switch v := v.(type) {
	case map[string]any:
		if n.Type != "object" {
			return path + ": a mapping"
		}
		for _, r := range n.Required {
			if _, ok := v[r]; !ok {
				return path + ": no " + r
			}
		}
		for k, x := range v {
			p, ok := n.Properties[k]
			if !ok {
				return path + ": unknown " + k
			}
			if why := p.validate(root, path+"."+k, x); why != "" {
				return why
			}
		}
	case []any:
		if n.Type != "array" || len(v) < n.MinItems {
			return path + ": a list"
		}
		for i, x := range v {
			if why := n.Items.validate(root, fmt.Sprintf("%s[%d]", path, i), x); why != "" {
				return why
			}
		}
	case string:
		if n.Type != "string" || len(v) < n.MinLength || len(n.Enum) > 0 && !slices.Contains(n.Enum, v) || !regexp.MustCompile(n.Pattern).MatchString(v) {
			return path + ": the text " + v
		}
	case bool:
		if n.Type != "boolean" {
			return path + ": true or false"
		}
	case int:
		if n.Type != "integer" || n.Minimum != nil && v < *n.Minimum || n.Maximum != nil && v > *n.Maximum {
			return path + ": a number"
		}
	default:
		return fmt.Sprintf("%s: %T", path, v)
	}
	return ""
}

// TestSchemaHasTheKeysOfTheLoader compares the schema with the types that files
// are read into, field by field.
func TestSchemaHasTheKeysOfTheLoader(t *testing.T) {
	t.Parallel()
	root := readSchema(t)
	var compare func(path string, typ reflect.Type, n *node)
	compare = func(path string, typ reflect.Type, n *node) {
		n = n.deref(root)
		switch typ.Kind() {
		case reflect.Pointer:
			compare(path, typ.Elem(), n)
		case reflect.Slice:
			if len(n.AnyOf) > 0 { // one text, or a list of them
				require.Equal(t, "string", n.AnyOf[0].Type, path)
				n = n.AnyOf[1]
			}
			require.Equal(t, "array", n.Type, path)
			compare(path+"[]", typ.Elem(), n.Items)
		case reflect.String:
			require.Equal(t, "string", n.Type, path)
		case reflect.Int:
			require.Equal(t, "integer", n.Type, path)
		case reflect.Bool:
			require.Equal(t, "boolean", n.Type, path)
		case reflect.Struct:
			require.Equal(t, "object", n.Type, path)
			require.NotNil(t, n.Additional, path)
			require.False(t, *n.Additional, path)
			known := map[string]bool{}
			for _, f := range reflect.VisibleFields(typ) {
				key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
				if key == "" || key == "-" {
					continue
				}
				known[key] = true
				require.Contains(t, n.Properties, key, path)
				compare(path+"."+key, f.Type, n.Properties[key])
			}
			for key := range n.Properties {
				require.True(t, known[key], "%s.%s is not read", path, key)
			}
		default:
			require.Fail(t, "a type that the schema has no word for", "%s: %s", path, typ)
		}
	}
	compare("", reflect.TypeFor[file](), root)
}

// TestSchemaHasTheValuesOfTheLoader compares what enumerated fields may hold.
func TestSchemaHasTheValuesOfTheLoader(t *testing.T) {
	t.Parallel()
	root := readSchema(t)
	metric := root.Defs["metric"].Properties
	for name, values := range map[string][]string{
		"type": texts(metricTypes), "additivity": texts(additivities), "over_time": texts(overTimes),
		"better": texts(betters), "grain": grains, "to_date": toDates,
	} {
		require.Equal(t, values, metric[name].Enum, name)
	}
	require.Equal(t, texts(comparisons), metric["comparisons"].Items.Enum)
	window := root.Defs["window"].Properties
	require.Equal(t, windowUnits, window["unit"].Enum)
	require.Equal(t, MaxWindow, *window["count"].Maximum)
	require.Equal(t, idForm.String(), root.Defs["id"].Pattern)
}

func texts[T ~string](of []T) []string {
	out := make([]string, len(of))
	for i, v := range of {
		out[i] = string(v)
	}
	return out
}

// TestSchemaAcceptsWhatTheLoaderAccepts: every layer of this repository, and
// refuses mistakes of form.
func TestSchemaAcceptsWhatTheLoaderAccepts(t *testing.T) {
	t.Parallel()
	root := readSchema(t)
	checked := 0
	for _, pattern := range []string{"testdata/*/*.yaml", "../demo/data/semantic/*.yaml"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, paths, pattern)
		for _, p := range paths {
			text, err := os.ReadFile(p)
			require.NoError(t, err)
			var v any
			require.NoError(t, yaml.Unmarshal(text, &v))
			require.Empty(t, root.validate(root, p, v))
			checked++
		}
	}
	require.Greater(t, checked, 5)
	for _, m := range mistakes {
		var v any
		if yaml.Unmarshal([]byte(m.text), &v) != nil {
			continue // no YAML at all
		}
		require.Equal(t, m.byForm, root.validate(root, "", v) != "", m.name)
	}
}
