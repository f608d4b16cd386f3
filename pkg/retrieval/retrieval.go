// Package retrieval finds the tables of a catalog for a text. A Corpus is made of a
// catalog.Index. It learns the catalog's words, parses a question into concepts
// (words and phrases with their synonyms, short forms and translations), finds
// candidates by BM25F over weighted fields, by vectors where there are any, and by
// what is joined with the best, and tells what speaks for each: features, which a
// learned model weighs (package rankmodel), and evidence, which people read. Weights
// and words are data (retrieval.yaml, weak.yaml).
//
// Who may see a table, and what counts beyond its text, is the caller's
// (services/findata).
package retrieval

import (
	_ "embed"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

//go:embed retrieval.yaml
var defaults []byte

// Fields of a table's document.
const (
	FieldName        = "name"
	FieldSchema      = "schema"
	FieldDescription = "description"
	FieldColumn      = "column"
	FieldComment     = "comment"
	FieldValue       = "value"
	FieldMart        = "mart"
	FieldGlossary    = "glossary"
	FieldLayer       = "layer"
	FieldOwner       = "owner"
)

// fieldNames in the order in which evidence is told, and of their numbers.
var fieldNames = [...]string{
	FieldGlossary, FieldName, FieldDescription, FieldColumn, FieldMart, FieldValue, FieldComment, FieldSchema, FieldLayer, FieldOwner,
}

// Numbers of the fields.
const (
	fieldGlossary = iota
	fieldName
	fieldDescription
	fieldColumn
	fieldMart
	fieldValue
	fieldComment
	fieldSchema
	fieldLayer
	fieldOwner
	fields // how many there are
)

// Limits where Config has none.
const (
	DefaultCandidates       = 400
	DefaultMaxConcepts      = 48
	DefaultMaxQuestionBytes = 4096
	DefaultMaxSampleValues  = 20
)

// Config weighs and bounds a Corpus.
type Config struct {
	Fields   map[string]lexical.Field `yaml:"fields"`   // BM25F weights by field
	Evidence map[string]float64       `yaml:"evidence"` // share of a concept's worth by field
	Synonyms synonym.Weights          `yaml:"synonyms"`
	// Definition is the weight of the words that a business word is defined by.
	Definition float64 `yaml:"definition"`
	// Parts is the weight of the parts of a run-together word, Abbreviation that of
	// short forms and of what short forms stand for.
	Parts        float64 `yaml:"parts"`
	Abbreviation float64 `yaml:"abbreviation"`
	// Candidates bounds how many tables are valued, but for those that come because
	// they are joined with the best.
	Candidates int `yaml:"candidates"`
	// MaxConcepts bounds the words of a question that are looked at.
	MaxConcepts int `yaml:"max_concepts"`
	// MaxQuestionBytes bounds the part of a question that is read.
	MaxQuestionBytes int `yaml:"max_question_bytes"`
	// MaxSampleValues bounds the stored values indexed of one column.
	MaxSampleValues int `yaml:"max_sample_values"`
	// Lexical bounds the BM25 index; its Fields are taken from Fields above.
	Lexical lexical.Config `yaml:"-"`
}

// DefaultConfig returns the embedded weights.
func DefaultConfig() (Config, error) {
	var c Config
	if err := yaml.Unmarshal(defaults, &c); err != nil {
		return c, fmt.Errorf("read the embedded retrieval weights: %w", err)
	}
	return c.Complete()
}

// Complete fills in limits and checks names.
func (c Config) Complete() (Config, error) {
	known := make(map[string]bool, len(fieldNames))
	for _, f := range fieldNames {
		known[f] = true
	}
	for name := range c.Fields {
		if !known[name] {
			return c, fmt.Errorf("retrieval: there is no field %q: use one of %v", name, fieldNames)
		}
	}
	for name, w := range c.Evidence {
		if !known[name] {
			return c, fmt.Errorf("retrieval: there is no field %q: use one of %v", name, fieldNames)
		}
		if w < 0 {
			return c, fmt.Errorf("retrieval: the weight of field %q is %g: use 0 or more", name, w)
		}
	}
	for _, f := range []struct {
		value *int
		byDef int
	}{
		{&c.Candidates, DefaultCandidates},
		{&c.MaxConcepts, DefaultMaxConcepts},
		{&c.MaxQuestionBytes, DefaultMaxQuestionBytes},
		{&c.MaxSampleValues, DefaultMaxSampleValues},
	} {
		if *f.value <= 0 {
			*f.value = f.byDef
		}
	}
	c.Lexical.Fields = c.Fields
	return c.completeLexical()
}

func (c Config) completeLexical() (Config, error) {
	var err error
	c.Lexical, err = c.Lexical.Complete()
	return c, err
}
