package main

import (
	"encoding/json"
	"strings"
)

type schema map[string]any

// schemaOf describes the values, so that a slip of the pen is told before anything is
// applied: keys that there are not, numbers and networks of the wrong form, and pods by load
// or results in object storage without a database.
func schemaOf(tree map[string]any) (string, error) {
	s := describe("", tree)
	s["$schema"] = "http://json-schema.org/draft-07/schema#"
	s["title"] = "Values of the chart dibrain"
	properties := s["properties"].(schema)
	properties["global"] = schema{"type": "object"} // Helm's own
	enabled := func(component string) schema {
		return schema{"properties": schema{component: schema{"properties": schema{"enabled": schema{"const": true}}}}}
	}
	s["allOf"] = []schema{
		{"if": enabled("autoscaling"), "then": enabled("postgres")},
		{"if": enabled("s3"), "then": enabled("postgres")},
		{"if": enabled("chatbiscaling"), "then": enabled("s3")},
	}
	text, err := json.MarshalIndent(s, "", "  ")
	return string(text) + "\n", err
}

func describe(path string, v any) schema {
	name := path[strings.LastIndexByte(path, '.')+1:]
	switch v := v.(type) {
	case map[string]any:
		switch name {
		case "config", "nodeSelector":
			return schema{"type": "object"}
		case "requests", "limits":
			return schema{"type": "object", "additionalProperties": schema{"type": []string{"string", "integer"}}}
		case "settings":
			return schema{"type": "object", "additionalProperties": schema{"type": "string"}, "propertyNames": schema{"pattern": "^(DIBRAIN|OTEL)_[A-Z0-9_]+$"}}
		}
		properties := schema{}
		for k, inner := range v {
			properties[k] = describe(strings.TrimPrefix(path+"."+k, "."), inner)
		}
		return schema{"type": "object", "additionalProperties": false, "properties": properties}
	case []any:
		switch name {
		case "networks":
			return schema{"type": "array", "minItems": 1, "items": schema{"type": "string", "pattern": "^[0-9a-fA-F.:]+/[0-9]{1,3}$"}}
		case "args":
			return schema{"type": "array", "minItems": 1, "items": schema{"type": "string", "minLength": 1}}
		case "ports":
			return schema{"type": "array", "minItems": 1, "items": schema{"type": "integer", "minimum": 1, "maximum": 65535}}
		}
		return schema{"type": "array", "items": schema{"type": "object"}}
	case bool:
		return schema{"type": "boolean"}
	case int:
		return schema{"type": "integer", "minimum": 1}
	default:
		s := schema{"type": "string"}
		switch name {
		case "size":
			s["pattern"] = "^[0-9.]+[KMGTP]i?$"
		case "schedule":
			s["pattern"] = `^(@[a-z]+|\S+( \S+){4})$`
		case "accessMode":
			s["enum"] = []string{"ReadWriteMany", "ReadWriteOnce"}
		case "repository", "tag", "question":
			s["minLength"] = 1
		}
		return s
	}
}
