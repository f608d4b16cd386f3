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

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/bind"
	"github.com/dibrain/dibrain/services/text2sql/chinese"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/metric"
	"github.com/dibrain/dibrain/services/text2sql/parse"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// DefaultThreshold is the confidence below which the pipeline abstains. It was
// chosen on training questions for four right answers in five.
const DefaultThreshold = 0.6

// Config of a pipeline.
type Config struct {
	// Threshold of confidence, from 0 to 1; 0: DefaultThreshold.
	Threshold float64
}

// Pipeline is read-only after New and may be used concurrently.
type Pipeline struct {
	lex       *lexicon.Lexicon
	dates     *dates.Reader
	words     *metric.Words
	messages  messages
	threshold float64
}

// New loads the lexicons.
func New(cfg Config) (*Pipeline, error) {
	lex, err := lexicon.Load()
	if err != nil {
		return nil, err
	}
	dr, err := dates.New()
	if err != nil {
		return nil, err
	}
	words, err := metric.LoadWords(lex)
	if err != nil {
		return nil, err
	}
	texts, err := loadMessages()
	if err != nil {
		return nil, err
	}
	if cfg.Threshold == 0 {
		cfg.Threshold = DefaultThreshold
	}
	return &Pipeline{lex: lex, dates: dr, words: words, messages: texts, threshold: cfg.Threshold}, nil
}

// Layer is a hand-written layer made ready for questions; nil stands for none.
type Layer struct {
	layer *semantic.Layer
	names *metric.Names
}

// PrepareLayer indexes the names of a written layer.
func (p *Pipeline) PrepareLayer(written *semantic.Layer) *Layer {
	if written == nil || len(written.Metrics) == 0 {
		return nil
	}
	return &Layer{layer: written, names: metric.NewNames(written, p.words)}
}

// Schema is a set of tables, made ready for questions.
type Schema struct {
	tables  []catalog.Table
	written *semantic.Layer
	names   *metric.Names
	layer   *bind.Layer
	index   *link.Index
	gen     *sqlgen.Generator
}

// has reports whether a table of the written layer is among the tables.
func (s *Schema) has(name string) bool { return len(semantic.Tables(name, s.tables)) > 0 }

// Prepare makes tables ready; written is the hand-written layer, nil for none.
func (p *Pipeline) Prepare(tables []catalog.Table, written *Layer) *Schema {
	derived := semantic.Derive(tables)
	names := make([]string, len(derived.Entities))
	for i, e := range derived.Entities {
		names[i] = e.Table
	}
	graph := plan.New(names, derived.Joins)
	s := &Schema{
		tables: tables,
		layer:  bind.NewLayer(derived, graph),
		index:  link.NewIndex(derived, p.lex),
		gen:    sqlgen.New(derived, graph, tables),
	}
	if written != nil {
		s.written, s.names = written.layer, written.names
	}
	return s
}

// Answer reads a question: over the metrics of the written layer where it names
// one, else over the tables themselves.
func (p *Pipeline) Answer(in Input) Result {
	if in.Language == "" {
		in.Language = lang.Detect(in.Question)
	}
	over, ok := p.metric(in)
	if ok {
		return over
	}
	res := p.free(in)
	if res.Outcome == Abstained && len(over.NotUnderstood) > 0 { // the layer knows countries, dates and more
		res.NotUnderstood = over.NotUnderstood
		return p.abstain(in, res, "")
	}
	return res
}

// free reads a question over the layer derived from the tables.
func (p *Pipeline) free(in Input) Result {
	items := in.Schema.index.Cover(in.Schema.index.Coordinate(p.tokens(in.Question)))
	draft := parse.Read(items, p.lex)
	readings := bind.Bind(draft, in.Schema.layer)
	res := Result{NotUnderstood: unknown(items, draft)}
	rank := 0.0
	for i := range readings {
		r := &readings[i]
		stmt, err := in.Schema.gen.Statement(&r.Intent)
		if err != nil {
			res.Doubts = append(res.Doubts, err.Error())
			continue
		}
		confidence := p.confidence(r, res.NotUnderstood) * in.Schema.country(stmt)
		if lang.Detect(in.Question) == lang.Chinese {
			confidence *= chineseFactor
		}
		text := printer.Print(stmt)
		if res.Intent != nil {
			if text != res.SQL && r.Rank > rank-closeRank && len(res.Alternatives) == 0 {
				res.Confidence *= closeFactor
				res.Doubts = append(res.Doubts, "another reading is as good")
			}
			res.Alternatives = append(res.Alternatives, Alternative{SQL: text, Confidence: confidence})
			continue
		}
		res.Statement, res.SQL, res.Draft, res.Intent, res.Confidence = stmt, text, text, &r.Intent, confidence
		rank = r.Rank
		for _, d := range r.Doubts {
			res.Doubts = append(res.Doubts, d.Why)
		}
		res.Understood = understood(items, r)
	}
	if res.Statement == nil || res.Confidence < p.threshold {
		return p.abstain(in, res, "")
	}
	res.Outcome = Answered
	res.Reason = p.messages.text(in.Language, "reason_tables", strings.Join(tableNames(res.Statement), ", "))
	return res
}

// country is what remains of the confidence where a table of one country was
// read although its family has others: nothing in the reading chose it.
func (s *Schema) country(stmt *tree.Statement) float64 {
	read := tableNames(stmt)
	for i := range s.tables {
		t := &s.tables[i]
		if t.Country == "" || !slices.Contains(read, t.Name.String()) {
			continue
		}
		for j := range s.tables {
			if o := &s.tables[j]; o.Manifest == t.Manifest && o.Manifest != "" && o.Country != t.Country {
				return 0.4
			}
		}
	}
	return 1
}

func (p *Pipeline) tokens(question string) []token.Token {
	tokens := token.Split(question, p.lex.Chinese().Dictionary())
	if lang.Detect(question) == lang.Chinese {
		return p.lex.Chinese().Translate(chinese.Reorder(tokens, p.lex))
	}
	return tokens
}

// tableNames lists the tables of a statement in order, each once.
func tableNames(stmt *tree.Statement) []string {
	var out []string
	tree.Walk(stmt, func(n tree.Node) bool {
		if t, ok := n.(*tree.Table); ok && !slices.Contains(out, t.Name.String()) {
			out = append(out, t.Name.String())
		}
		return true
	})
	return out
}

// A reading whose rank is so close to the best one's is as good, and leaves that
// share of the confidence.
const (
	closeRank   = 0.03
	closeFactor = 0.75
)

// chineseFactor is what a reading keeps whose words of the schema went through a
// dictionary: fewer of such readings are right.
const chineseFactor = 0.65

// unknownFactor is what a content word that nothing covers leaves of the
// confidence; number that no rule took counts as much.
const unknownFactor = 0.45

// unknownVerbFactor is the same for participles: they most often only say how two
// things are related, which the joins say already.
const unknownVerbFactor = 0.7

func verbForm(w string) bool {
	return len(w) > 4 && strings.ToLower(w) == w && (strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "ing"))
}

func (p *Pipeline) confidence(r *bind.Reading, notUnderstood []string) float64 {
	c := min(1, r.Score)
	for _, d := range r.Doubts {
		c *= d.Factor
	}
	for _, w := range notUnderstood {
		if verbForm(w) {
			c *= unknownVerbFactor
			continue
		}
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

// Explain returns how a question was cut and linked, a line an item.
func (p *Pipeline) Explain(question string, s *Schema) string {
	var b strings.Builder
	for _, it := range s.index.Cover(s.index.Coordinate(p.tokens(question))) {
		fmt.Fprintf(&b, "%q %.2f tags=%v", it.Text, it.Score, it.Tags)
		for _, t := range it.Tables[:min(3, len(it.Tables))] {
			fmt.Fprintf(&b, " table %s %.2f", t.Entity.ID, t.Score)
		}
		for _, c := range it.Columns[:min(4, len(it.Columns))] {
			fmt.Fprintf(&b, " column %s %.2f", c.Dim.ID, c.Score)
		}
		for _, v := range it.Values[:min(3, len(it.Values))] {
			fmt.Fprintf(&b, " value %s=%s", v.Dim.ID, v.Value)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
