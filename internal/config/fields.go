package config

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/spelling"
)

// Field is one key of the configuration.
type Field struct {
	Key   string // such as "auth.mode"
	Value any
	// Secret says that Value is masked when printed.
	Secret bool
	// owner and name say which struct field it is, for its comment.
	owner reflect.Type
	name  string
}

// Fields returns every key with its value, in the order of the structs.
func (c Config) Fields() []Field { return fieldsOf(reflect.ValueOf(c), "") }

func fieldsOf(v reflect.Value, prefix string) []Field {
	var fields []Field
	t := v.Type()
	eachField(t, prefix, func(i int, key string, section bool) {
		fv := v.Field(i)
		if section {
			fields = append(fields, fieldsOf(fv, key)...)
			return
		}
		_, secret := fv.Interface().(Secret)
		fields = append(fields, Field{Key: key, Value: fv.Interface(), Secret: secret, owner: t, name: t.Field(i).Name})
	})
	return fields
}

// eachField visits the fields of a struct that are keys, and those that are sections, for
// which key is the prefix of their keys.
func eachField(t reflect.Type, prefix string, visit func(i int, key string, section bool)) {
	for i := range t.NumField() {
		sf := t.Field(i)
		name, options, _ := strings.Cut(sf.Tag.Get("koanf"), ",")
		switch {
		case !sf.IsExported() || name == "-" || (name == "" && options == ""):
		case options == "squash":
			visit(i, prefix, true)
		case sf.Type.Kind() == reflect.Struct:
			visit(i, prefix+name+".", true)
		default:
			visit(i, prefix+name, false)
		}
	}
}

// Adopt returns the configuration with the values of those keys of another one that are wanted.
func (c Config) Adopt(from Config, wanted func(key string) bool) Config {
	adopt(reflect.ValueOf(&c).Elem(), reflect.ValueOf(from), "", wanted)
	return c
}

func adopt(to, from reflect.Value, prefix string, wanted func(key string) bool) {
	eachField(to.Type(), prefix, func(i int, key string, section bool) {
		switch {
		case section:
			adopt(to.Field(i), from.Field(i), key, wanted)
		case wanted(key):
			to.Field(i).Set(from.Field(i))
		}
	})
}

// EnvName returns the variable that sets a key: "auth.mode" is DIBRAIN_AUTH_MODE.
func EnvName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// Text returns the value as it is written in a configuration file.
func (f Field) Text() string {
	switch v := f.Value.(type) {
	case time.Duration:
		return duration(v)
	case fmt.Stringer:
		return v.String()
	case []string:
		return strings.Join(v, ",")
	default:
		return fmt.Sprint(v)
	}
}

// duration leaves out the zero parts that time.Duration prints.
func duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// nearest returns the known key that is closest to an unknown one, and whether
// it is close enough to be what was meant.
func nearest(key string, known []string) (string, bool) {
	best, distance := "", len(key)/3+2
	for _, k := range known {
		if strings.HasSuffix(k, "."+key) { // "mode" for "auth.mode"
			return k, true
		}
		if d := spelling.Distance(key, k); d < distance {
			best, distance = k, d
		}
	}
	return best, best != ""
}
