// Package lexical ranks documents by their words. It indexes terms, not text: the
// caller analyses documents and questions with one analyzer
// (pkg/retrieval/analysis), which may be learned from the corpus. An Index may
// live in this process (Build) or on a server (package elastic).
package lexical

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Index ranks documents for a query. It may be used concurrently until Close.
type Index interface {
	// Search returns at most q.Limit documents, best first; of equal scores the
	// lower document first. No term, or none that is known, gives no document.
	Search(ctx context.Context, q Query) ([]Hit, error)
	// Close frees the index. No search may be under way.
	Close() error
}

// Query says what is searched for and among which documents.
type Query struct {
	Terms  []Term
	Filter Filter
	// Limit bounds the hits; 0 or less finds nothing.
	Limit int
	// Keep accepts a document, by its number; nil accepts all.
	Keep func(doc int) bool
}

// Term is a term of a query with its weight.
type Term struct {
	Text   string
	Weight float64
}

// Filter restricts a search by labels, regardless of case. An empty list
// restricts nothing; a document without the label is outside of any other list.
type Filter struct {
	Regions, Schemas, Marts []string
}

// Empty tells whether the filter restricts nothing.
func (f Filter) Empty() bool {
	return len(f.Regions) == 0 && len(f.Schemas) == 0 && len(f.Marts) == 0
}

// Accepts tells whether a document with these labels may be found.
func (f Filter) Accepts(l Labels) bool {
	return among(f.Regions, l.Region) && among(f.Schemas, l.Schema) && among(f.Marts, l.Mart)
}

func among(list []string, label string) bool {
	for _, l := range list {
		if strings.EqualFold(l, label) {
			return true
		}
	}
	return len(list) == 0
}

// Labels are what a document is filtered by.
type Labels struct {
	Region, Schema, Mart string
}

// Hit is a document, by its number at Build, with its score.
type Hit struct {
	Doc   int
	Score float64
}

// Document is a document as it is indexed: its terms by field.
type Document struct {
	Labels
	Fields map[string][]string
}

// Field says how much a field of a document counts.
type Field struct {
	// Weight multiplies the occurrences in the field; 0 leaves it out.
	Weight float64 `yaml:"weight"`
	// B is how much the length of the field counts against it, 0 to 1.
	B float64 `yaml:"b"`
}

// Config bounds an index and weighs its fields.
type Config struct {
	Fields map[string]Field
	// K1 is where the occurrences of a term saturate.
	K1 float64
	// MaxFieldTerms bounds the terms indexed of one field of one document.
	MaxFieldTerms int
	// MaxQueryTerms bounds the terms of a query; the rest is left out.
	MaxQueryTerms int
}

// Defaults of Config.
const (
	DefaultK1            = 1.2
	DefaultMaxFieldTerms = 4096
	DefaultMaxQueryTerms = 96
)

// Complete fills in defaults.
func (c Config) Complete() (Config, error) {
	if len(c.Fields) == 0 {
		return c, errors.New("lexical: Config.Fields is empty: name the fields and their weights")
	}
	if len(c.Fields) > maxFields {
		return c, fmt.Errorf("lexical: %d fields: use at most %d", len(c.Fields), maxFields)
	}
	for name, f := range c.Fields {
		if f.Weight < 0 {
			return c, fmt.Errorf("lexical: the weight of field %q is %g: use 0 or more", name, f.Weight)
		}
		if f.B < 0 || f.B > 1 {
			return c, fmt.Errorf("lexical: b of field %q is %g: use 0 to 1", name, f.B)
		}
	}
	if c.K1 < 0 {
		return c, fmt.Errorf("lexical: k1 is %g: use 0 or more", c.K1)
	}
	if c.K1 == 0 {
		c.K1 = DefaultK1
	}
	if c.MaxFieldTerms <= 0 {
		c.MaxFieldTerms = DefaultMaxFieldTerms
	}
	if c.MaxQueryTerms <= 0 {
		c.MaxQueryTerms = DefaultMaxQueryTerms
	}
	return c, nil
}
