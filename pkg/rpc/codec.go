package rpc

import (
	"errors"
	"strings"

	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// validCodec is gRPC's own codec for messages whose texts may not be UTF-8: names of
// files, columns and values come from outside, and protobuf refuses a whole message
// for one of them. What is no character becomes U+FFFD. It costs nothing for messages
// that are in order.
type validCodec struct{ encoding.CodecV2 }

func newValidCodec() validCodec { return validCodec{encoding.GetCodecV2(grpcproto.Name)} }

// Marshal implements encoding.CodecV2. The message itself is not changed: others may
// read it at the same time.
func (c validCodec) Marshal(v any) (mem.BufferSlice, error) {
	data, err := c.CodecV2.Marshal(v)
	var broken interface{ InvalidUTF8() bool }
	if err == nil || !errors.As(err, &broken) || !broken.InvalidUTF8() {
		return data, err
	}
	message, ok := v.(proto.Message)
	if !ok {
		return nil, err
	}
	message = proto.Clone(message)
	makeValid(message.ProtoReflect())
	return c.CodecV2.Marshal(message)
}

// makeValid repairs all texts of a message, those of its parts too.
func makeValid(m protoreflect.Message) {
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.IsMap():
			m.Set(field, protoreflect.ValueOfMap(validMap(field, value.Map(), m.NewField(field).Map())))
		case field.IsList():
			list := value.List()
			for i := range list.Len() {
				list.Set(i, validValue(field, list.Get(i)))
			}
		default:
			m.Set(field, validValue(field, value))
		}
		return true
	})
}

// validMap puts the entries of a map into another one. Of two keys that become the
// same one entry stays.
func validMap(field protoreflect.FieldDescriptor, from, to protoreflect.Map) protoreflect.Map {
	from.Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
		to.Set(validValue(field.MapKey(), key.Value()).MapKey(), validValue(field.MapValue(), value))
		return true
	})
	return to
}

func validValue(field protoreflect.FieldDescriptor, value protoreflect.Value) protoreflect.Value {
	switch field.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(strings.ToValidUTF8(value.String(), "\uFFFD"))
	case protoreflect.MessageKind, protoreflect.GroupKind:
		makeValid(value.Message())
	}
	return value
}
