package outside

import (
	"context"
	"errors"
	"strings"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/router/tools"
)

// maxDepth bounds how deep messages within messages are described.
const maxDepth = 6

// Schema implements tools.Arguments: the JSON schema of the method's request.
func (t *Tool) Schema(ctx context.Context) (map[string]any, error) {
	m, err := t.method.of(ctx, t.conn, t.Method)
	if err != nil {
		return nil, err
	}
	return messageSchema(m.Input(), maxDepth), nil
}

// Parse implements tools.Arguments. It returns the request as a
// *dynamicpb.Message. Rules of protovalidate that the server's descriptors carry
// are held.
func (t *Tool) Parse(ctx context.Context, tool string, raw []byte) (any, error) {
	m, err := t.method.of(ctx, t.conn, t.Method)
	if err != nil {
		return nil, err
	}
	request := dynamicpb.NewMessage(m.Input())
	if err := protojson.Unmarshal(raw, request); err != nil {
		problem := lang.OneLine(err.Error()) // protojson varies its blanks on purpose
		return nil, &tools.ArgumentError{Tool: tool, Problems: []string{"not the JSON that the schema asks for: " + strings.TrimPrefix(problem, "proto: ")}}
	}
	if err := protovalidate.Validate(request); err != nil {
		var invalid *protovalidate.ValidationError
		if !errors.As(err, &invalid) {
			return nil, err
		}
		wrong := &tools.ArgumentError{Tool: tool}
		for _, v := range invalid.Violations {
			wrong.Problems = append(wrong.Problems, v.String())
		}
		return nil, wrong
	}
	return request, nil
}

// messageSchema describes a message; below depth messages any object is allowed.
func messageSchema(m protoreflect.MessageDescriptor, depth int) map[string]any {
	if known := wellKnown(m.FullName()); known != nil {
		return known
	}
	if depth == 0 {
		return map[string]any{"type": "object"}
	}
	properties := map[string]any{}
	fields := m.Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		properties[string(f.Name())] = fieldSchema(f, depth-1)
	}
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}

func fieldSchema(f protoreflect.FieldDescriptor, depth int) map[string]any {
	switch {
	case f.IsMap():
		return map[string]any{"type": "object", "additionalProperties": valueSchema(f.MapValue(), depth)}
	case f.IsList():
		return map[string]any{"type": "array", "items": valueSchema(f, depth)}
	default:
		return valueSchema(f, depth)
	}
}

func valueSchema(f protoreflect.FieldDescriptor, depth int) map[string]any {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return map[string]any{"type": "boolean"}
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind, protoreflect.Uint32Kind, protoreflect.Fixed32Kind,
		protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return map[string]any{"type": "integer"}
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return map[string]any{"type": "number"}
	case protoreflect.BytesKind:
		return map[string]any{"type": "string", "contentEncoding": "base64"}
	case protoreflect.EnumKind:
		var names []any
		values := f.Enum().Values()
		for i := range values.Len() {
			names = append(names, string(values.Get(i).Name()))
		}
		return map[string]any{"type": "string", "enum": names}
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return messageSchema(f.Message(), depth)
	default:
		return map[string]any{"type": "string"}
	}
}

// wellKnown describes the messages that have a JSON form of their own.
func wellKnown(name protoreflect.FullName) map[string]any {
	switch name {
	case "google.protobuf.Timestamp":
		return map[string]any{"type": "string", "format": "date-time"}
	case "google.protobuf.Duration", "google.protobuf.FieldMask",
		"google.protobuf.StringValue", "google.protobuf.BytesValue":
		return map[string]any{"type": "string"}
	case "google.protobuf.Struct":
		return map[string]any{"type": "object"}
	case "google.protobuf.ListValue":
		return map[string]any{"type": "array"}
	case "google.protobuf.BoolValue":
		return map[string]any{"type": "boolean"}
	case "google.protobuf.Int32Value", "google.protobuf.UInt32Value", "google.protobuf.Int64Value", "google.protobuf.UInt64Value":
		return map[string]any{"type": "integer"}
	case "google.protobuf.FloatValue", "google.protobuf.DoubleValue":
		return map[string]any{"type": "number"}
	case "google.protobuf.Value":
		return map[string]any{}
	default:
		return nil
	}
}
