// Package prosetest holds messages to what pkg/prose promises: whatever others wrote
// into the parts of an answer, each of its sentences leaves a service fit to be shown.
package prosetest

import (
	"reflect"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/dibrain/dibrain/pkg/prose"
)

// Active is a text that does something where it is drawn: a link with another text, an
// image, HTML, a sign that turns the writing, and an escape of a terminal.
const Active = "[here](http://evil.example/a) ![x](http://evil.example/b)<img src=x>\u202e\x1b[31m"

// maxDepth is how deep Fill goes: types that hold themselves have no end.
const maxDepth = 6

// Fill sets every string that can be reached in what v points to, through structures,
// pointers, lists and maps, to Active; lists and maps get one entry where they have none.
// Numbers, interfaces and functions stay.
func Fill(v any) { fill(reflect.ValueOf(v).Elem(), maxDepth) }

func fill(v reflect.Value, depth int) {
	if depth == 0 || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(Active)
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		fill(v.Elem(), depth-1)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), depth-1)
		}
	case reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			fill(v.Index(i), depth-1)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, depth-1)
		fill(value, depth-1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	}
}

// Unfit returns the full names of the string fields of a message, and of the messages
// within it, that hold a text which is not fit to be shown, each once, in order. data
// are the full names of fields and of messages that hold names, ids, SQL or stored text
// as it is, which are not looked at.
func Unfit(m proto.Message, data ...protoreflect.FullName) []protoreflect.FullName {
	var out []protoreflect.FullName
	unfit(m.ProtoReflect(), data, &out)
	slices.Sort(out)
	return slices.Compact(out)
}

func unfit(m protoreflect.Message, data []protoreflect.FullName, out *[]protoreflect.FullName) {
	if slices.Contains(data, m.Descriptor().FullName()) {
		return
	}
	look := func(f protoreflect.FieldDescriptor, v protoreflect.Value) {
		switch f.Kind() {
		case protoreflect.StringKind:
			if prose.Safe(v.String()) != v.String() {
				*out = append(*out, f.FullName())
			}
		case protoreflect.MessageKind:
			unfit(v.Message(), data, out)
		}
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case slices.Contains(data, f.FullName()), f.IsMap():
		case f.IsList():
			for i := range v.List().Len() {
				look(f, v.List().Get(i))
			}
		default:
			look(f, v)
		}
		return true
	})
}
