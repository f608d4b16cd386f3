// Package pipeline is the rules strategy: question and tables in, structured
// intent and SQL tree out, or a reason why not. Its stages are packages beside
// it, each with data of its own:
//
//	token -> link -> parse -> bind -> sqlgen
//
// token cuts the question, link finds what spans may stand for, parse reads the
// links by a grammar into a draft, bind decides what each span means so that all
// fits together, sqlgen writes the tree. What nothing covers lowers the
// confidence; below the threshold the pipeline abstains and names those words.
package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/bind"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/parse"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// DefaultThreshold is the confidence below which the pipeline abstains. It was
// chosen on training questions for four right answers in five.
const DefaultThreshold = 0.5

// Config of a pipeline.
type Config struct {
	// Threshold of confidence, from 0 to 1; 0: DefaultThreshold.
	Threshold float64
}

// Pipeline is read-only after New and may be used concurrently.
type Pipeline struct {
	lex       *lexicon.Lexicon
	threshold float64
}

// New loads the lexicons.
func New(cfg Config) (*Pipeline, error) {
	lex, err := lexicon.Load()
	if err != nil {
		return nil, err
	}
	if cfg.Threshold == 0 {
		cfg.Threshold = DefaultThreshold
	}
	return &Pipeline{lex: lex, threshold: cfg.Threshold}, nil
}

// Schema is a set of tables, made ready for questions.
type Schema struct {
	tables  []catalog.Table
	written *semantic.Layer
	layer   *bind.Layer
	index   *link.Index
	gen     *sqlgen.Generator
}

// Prepare makes tables ready; written is the hand-written layer, nil for none.
func (p *Pipeline) Prepare(tables []catalog.Table, written *semantic.Layer) *Schema {
	derived := semantic.Derive(tables)
	names := make([]string, len(derived.Entities))
	for i, e := range derived.Entities {
		names[i] = e.Table
	}
	graph := plan.New(names, derived.Joins)
	return &Schema{
		tables: tables, written: written,
		layer: bind.NewLayer(derived, graph),
		index: link.NewIndex(derived, p.lex),
		gen:   sqlgen.New(derived, graph, tables),
	}
}

// Input is a question over a schema.
type Input struct {
	Question string
	Schema   *Schema
	Now      time.Time // in the asker's location
}

// Span is a piece of the question and what it was taken for.
type Span struct {
	Text, Kind, Meaning string
	Score               float64
}

// Result is what came of a question. Statement is nil when the pipeline abstains.
type Result struct {
	Statement     *tree.Statement
	SQL           string
	Intent        *intent.Intent
	Confidence    float64
	Understood    []Span
	NotUnderstood []string
	Doubts        []string
	Assumptions   []string
	Alternatives  []Alternative
}

// Alternative is another reading.
type Alternative struct {
	SQL        string
	Confidence float64
}

// Answer reads a question.
func (p *Pipeline) Answer(in Input) Result {
	tokens := token.Split(in.Question, p.lex.Chinese().Dictionary())
	language := lang.Detect(in.Question)
	if language == lang.Chinese {
		tokens = p.lex.Chinese().Translate(tokens)
	}
	items := in.Schema.index.Cover(tokens)
	draft := parse.Read(items, p.lex)
	readings := bind.Bind(draft, in.Schema.layer)
	res := Result{NotUnderstood: unknown(items, draft)}
	for i := range readings {
		r := &readings[i]
		stmt, err := in.Schema.gen.Statement(&r.Intent)
		if err != nil {
			res.Doubts = append(res.Doubts, err.Error())
			continue
		}
		confidence := p.confidence(r, res.NotUnderstood)
		text := printer.Print(stmt)
		if res.Intent == nil {
			res.Statement, res.SQL, res.Intent, res.Confidence = stmt, text, &r.Intent, confidence
			for _, d := range r.Doubts {
				res.Doubts = append(res.Doubts, fmt.Sprintf("%s (%.2f)", d.Why, d.Factor))
			}
			res.Understood = understood(items, r)
			continue
		}
		res.Alternatives = append(res.Alternatives, Alternative{SQL: text, Confidence: confidence})
	}
	if res.Confidence < p.threshold {
		res.Statement = nil
	}
	return res
}

// unknownFactor is what a content word that nothing covers leaves of the
// confidence; number that no rule took counts as much.
const unknownFactor = 0.6

func (p *Pipeline) confidence(r *bind.Reading, notUnderstood []string) float64 {
	c := min(1, r.Score)
	for _, d := range r.Doubts {
		c *= d.Factor
	}
	for range notUnderstood {
		c *= unknownFactor
	}
	return c
}

// unknown lists the content words that nothing covers, in order.
func unknown(items []*link.Item, draft *parse.Draft) []string {
	var out []string
	for _, it := range items {
		if it.Unknown() && len(strings.Trim(it.Text, " ,.?!")) > 0 || slices.Contains(draft.Unread, it) {
			out = append(out, it.Text)
		}
	}
	return out
}

func understood(items []*link.Item, r *bind.Reading) []Span {
	var out []Span
	for _, it := range items {
		if meaning, ok := r.Used[it]; ok {
			out = append(out, Span{Text: it.Text, Kind: kindOf(it), Meaning: meaning, Score: min(1, it.Score)})
		}
	}
	return out
}

func kindOf(it *link.Item) string {
	switch {
	case it.Number != "":
		return "number"
	case it.Quoted || len(it.Values) > 0 && len(it.Columns) == 0:
		return "value"
	case len(it.Tables) > 0 && len(it.Columns) == 0:
		return "table"
	}
	return "column"
}

// Explain returns how the question was cut and linked, a line an item.
func (p *Pipeline) Explain(question string, s *Schema) string {
	tokens := token.Split(question, p.lex.Chinese().Dictionary())
	if lang.Detect(question) == lang.Chinese {
		tokens = p.lex.Chinese().Translate(tokens)
	}
	var b strings.Builder
	for _, it := range s.index.Cover(tokens) {
		fmt.Fprintf(&b, "%q %.2f tags=%v", it.Text, it.Score, it.Tags)
		for i, t := range it.Tables {
			if i < 3 {
				fmt.Fprintf(&b, " T:%s %.2f", t.Entity.ID, t.Score)
			}
		}
		for i, c := range it.Columns {
			if i < 4 {
				fmt.Fprintf(&b, " C:%s %.2f", c.Dim.ID, c.Score)
			}
		}
		for i, v := range it.Values {
			if i < 3 {
				fmt.Fprintf(&b, " V:%s=%s", v.Dim.ID, v.Value)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
