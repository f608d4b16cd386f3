package llm

import (
	"reflect"
	"strings"

	"github.com/dibrain/dibrain/pkg/prose"
)

// Prose is the answer's text, fit to be shown to people and without what the model
// thought aloud before it: whatever becomes part of an answer of the product is read
// by this, and not from Text.
func (r Response) Prose() string { return prose.Safe(withoutThoughts(r.Text)) }

func withoutThoughts(text string) string {
	if at := strings.LastIndex(text, "</think>"); at >= 0 {
		return text[at+len("</think>"):]
	}
	return text
}

// verbatim is the tag of a field whose text is looked up or run and not shown as a
// sentence: SQL, names, ids, values. All other texts of an answer are made fit to be
// shown, so that a prompt's new field is safe before anybody thinks of it.
const verbatim = "verbatim"

// makeShown makes the texts of an answer fit to be shown.
func makeShown(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(prose.Safe(v.String()))
	case reflect.Slice:
		for i := range v.Len() {
			makeShown(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get(verbatim) != "true" && f.Tag.Get("enum") == "" {
				makeShown(v.Field(i))
			}
		}
	default: // numbers and booleans
	}
}
