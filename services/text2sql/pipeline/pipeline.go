// Package pipeline is the rules strategy: question and tables in, structured
// intent and SQL tree out, or a reason why not. Its stages are packages beside
// it, each with data of its own:
//
//	token -> link -> parse -> bind -> sqlgen -> rank
//
// token cuts the question, link finds what spans may stand for, parse reads the
// links by a grammar into a draft, bind decides what each span means so that all
// fits together, sqlgen writes the tree, rank says how likely each reading is right.
// The likeliest is the answer, and that probability its confidence; below the
// threshold the pipeline asks, where one word makes the difference, or abstains and
// names the words that nothing covers.
package pipeline

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/chart/advise"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/bind"
	"github.com/dibrain/dibrain/services/text2sql/chinese"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/metric"
	"github.com/dibrain/dibrain/services/text2sql/parse"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/rank"
	"github.com/dibrain/dibrain/services/text2sql/rank/facts"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
	"github.com/dibrain/dibrain/services/text2sql/why"
)

// Config of a pipeline.
type Config struct {
	// Threshold of confidence, from 0 to 1; 0: that of the model of readings.
	Threshold float64
	// Weights of the grammar, for fitting them; nil: the product's.
	Weights map[string]float64
}

// Pipeline is read-only after New and may be used concurrently.
type Pipeline struct {
	lex         *lexicon.Lexicon
	grammar     *parse.Grammar
	dates       *dates.Reader
	words       *metric.Words
	messages    messages
	offers      messages
	suggestions messages
	general     *language.Words // of both languages
	doubts      doubtTexts
	inChinese   *chinese.Confidence
	threshold   float64

	facts *facts.Describer
	model *rank.Model

	followUps followUps
	reader    *reader.Reader
	sureness  sureness
	agreement agreement
	why       *why.Words
	charts    *advise.Adviser
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
	offers, err := loadOffers()
	if err != nil {
		return nil, err
	}
	suggestions, err := loadSuggestions()
	if err != nil {
		return nil, err
	}
	general, err := language.Load()
	if err != nil {
		return nil, err
	}
	doubts, err := loadDoubts()
	if err != nil {
		return nil, err
	}
	inChinese, err := chinese.LoadConfidence()
	if err != nil {
		return nil, err
	}
	grammar, err := grammarOf(cfg)
	if err != nil {
		return nil, err
	}
	describer, err := facts.New()
	if err != nil {
		return nil, err
	}
	model, err := rank.Default()
	if err != nil {
		return nil, err
	}
	changes, err := loadFollowUps()
	if err != nil {
		return nil, err
	}
	read, err := reader.New(dr, lex)
	if err != nil {
		return nil, err
	}
	sure, err := loadSureness()
	if err != nil {
		return nil, err
	}
	both, err := loadAgreement()
	if err != nil {
		return nil, err
	}
	reasons, err := why.Load()
	if err != nil {
		return nil, err
	}
	charts, err := advise.New()
	if err != nil {
		return nil, err
	}
	if cfg.Threshold == 0 {
		cfg.Threshold = model.Threshold
	}
	return &Pipeline{lex: lex, grammar: grammar, dates: dr, words: words, messages: texts, offers: offers, suggestions: suggestions, general: general, doubts: doubts, inChinese: inChinese, threshold: cfg.Threshold, facts: describer, model: model, followUps: changes, reader: read, sureness: sure, agreement: both, why: reasons, charts: charts}, nil
}

func grammarOf(cfg Config) (*parse.Grammar, error) {
	if cfg.Weights != nil {
		return parse.WithWeights(cfg.Weights)
	}
	return parse.NewGrammar()
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
	written = written.WithRoles()
	return &Layer{layer: written, names: metric.NewNames(written, p.words)}
}

// Written is the layer with the things that its roles make.
func (l *Layer) Written() *semantic.Layer { return l.layer }

// Schema is a set of tables, made ready for questions.
type Schema struct {
	tables  []catalog.Table
	written *semantic.Layer
	names   *metric.Names
	layer   *bind.Layer
	index   *link.Index
	gen     *sqlgen.Generator
	view    *schema.View
}

// has reports whether a table of the written layer is among the tables.
func (s *Schema) has(name string) bool { return len(semantic.Tables(name, s.tables)) > 0 }

// dim finds a dimension by its id, also one that no column holds; nil: there is none.
func (s *Schema) dim(id string) *semantic.Dimension {
	if c := s.view.ColumnOf(id); c != nil {
		return c.Dimension
	}
	return s.layer.Dim(id)
}

// Prepare makes tables ready; written is the hand-written layer, nil for none.
func (p *Pipeline) Prepare(tables []catalog.Table, written *Layer) *Schema {
	derived := semantic.Derive(tables)
	names := make([]string, len(derived.Entities))
	for i, e := range derived.Entities {
		names[i] = e.Table
	}
	graph := plan.New(names, derived.Joins)
	timed := schema.WithElapsed(derived)
	s := &Schema{
		tables: tables,
		layer:  bind.NewLayer(derived, graph),
		index:  link.NewIndex(derived, p.lex),
		gen:    sqlgen.New(timed, graph, tables),
		view:   p.reader.View(timed, tables, graph),
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
	asked := p.ask(in)
	res := p.byValue(in, p.asDefined(in, p.answer(asked)))
	if !IsReading(in.Chosen) { // whoever chose has seen what was chosen
		res = p.tellClock(asked, res)
	}
	if asked.wish != "" && in.Previous == nil && res.Outcome == Answered {
		res.Assumptions = append(res.Assumptions, p.messages.text(in.Language, "chart_wish", (&restater{language: in.Language, texts: p.offers}).quoteEach([]string{asked.wish})))
	}
	if res.Outcome == Answered && res.Intent != nil && res.Restated == "" {
		res.Restated, _ = p.restate(in, res.Intent)
	}
	return res
}

// curled is the apostrophe of a contraction or a genitive as keyboards of phones write it.
var curled = regexp.MustCompile(`(\pL)’((?i:t|s|ve|re|ll|d|m)\b)`)

// straight writes apostrophes of contractions as word lists have them: haven’t, what’s.
func straight(text string) string { return curled.ReplaceAllString(text, "$1'$2") }

// behind is what stands in brackets behind the mark at the end of a question.
var behind = regexp.MustCompile(`^(.*?)\s*([?？。.])(\s*[（(][^()（）]*[)）])\s*$`)

// inside puts what is added in brackets behind a question into it: 预订有多少？（按入住日期）
func inside(text string) string { return behind.ReplaceAllString(text, "$1$3$2") }

func (p *Pipeline) answer(in Input) Result {
	if IsReading(in.Chosen) {
		if res, ok := p.offered(in); ok {
			return res
		}
		in.Chosen = ""
	}
	if in.Previous != nil && in.FollowUp != "" {
		if res, ok := p.followUp(in); ok {
			if in.Previous.Unconfirmed && res.Intent != nil && len(res.Changes) > 0 { // no surer than what it is a change of
				res.Intent.Unconfirmed, res.Confidence = true, min(res.Confidence, either)
			}
			return res
		}
		in.Question = in.FollowUp // it stands by itself
		in = p.ask(in)
	}
	if res, ok := p.meaning(in); ok {
		return res
	}
	over, ok := p.metric(in)
	if ok && !p.plain(in, over) {
		if read, ok := p.greatest(in, over); ok {
			return read
		}
		return over
	}
	readings := p.readings(in)
	res := p.overData(in, readings)
	if ok && res.Outcome != Answered {
		return over
	}
	res = p.unreadBy(in, res, readings)
	if res.Outcome == Abstained && len(over.NotUnderstood) > 0 { // the layer knows countries, dates and more
		res.NotUnderstood = over.NotUnderstood
		return p.withNear(in, p.abstain(in, res, ""))
	}
	return p.lookedIn(in, res, readings)
}

// overData answers a question over the tables themselves. The data's own names come first; where
// tables are joined, the grammar over all tables has to agree, as far as it would answer too.
func (p *Pipeline) overData(in Input, readings []reader.Reading) Result {
	first := p.likeliest(in, readings)
	if p.answers(first) && len(in.Schema.tables) == 1 {
		return p.readingResult(in, first.reading, first.stmt, first.sure)
	}
	res, said := p.checked(in, readings)
	if first == nil || said.stmt == nil {
		if p.answers(first) {
			return p.readingResult(in, first.reading, first.stmt, first.sure)
		}
		return res
	}
	return p.together(in, first, res, said)
}

// checked reads a question by the grammar over all tables, and holds what it answers to what the
// question asks of any SQL.
func (p *Pipeline) checked(in Input, readings []reader.Reading) (Result, draft) {
	res, said := p.free(in)
	if res.Outcome == Answered {
		words := p.unmet(in, res.Intent, res.Statement)
		if with := in.asked.Demands().With; with != "" {
			words = append(words, with) // it takes what is included for a condition
		}
		if words = append(words, p.unused(in, res.Statement)...); len(words) > 0 {
			res.NotUnderstood = words
			res = p.abstain(in, res, "")
		}
	}
	if res.Outcome == Answered && in.Schema.countsFigures(res.Statement) && !in.asked.Records() {
		res.Doubts = nil
		res = p.abstain(in, res, "rows_are_figures")
	} else if res.Outcome == Answered && in.Schema.averagesRows(res.Statement) && !in.asked.Records() {
		res.Doubts = nil
		res = p.abstain(in, res, "average_of_rows")
	} else if p.anyTable(in, res, readings) {
		res.Doubts = nil
		res = p.abstain(in, res, "which_table")
	} else if words, needed := p.dropped(in, res, readings); needed {
		res.NotUnderstood = words
		res = p.abstain(in, res, "")
	} else if len(words) > 0 {
		res.Assumptions = slices.Insert(res.Assumptions, 0, p.messages.text(in.Language, "passed_over", (&restater{language: in.Language, texts: p.offers}).quoteEach(words)))
		res.Confidence = min(res.Confidence, passedOver)
	}
	return res, said
}

// unreadBy tells, in a refusal, the words that the likeliest reading of the data's own names
// leaves unread: what that knows, such as stored values, is not told to be unknown.
func (p *Pipeline) unreadBy(in Input, res Result, readings []reader.Reading) Result {
	if res.Outcome != Abstained || len(res.NotUnderstood) == 0 {
		return res
	}
	words := in.asked.Unknown()
	if len(readings) > 0 {
		words = beside(readings[0].Unread, in.Question)
	}
	if slices.Equal(words, res.NotUnderstood) {
		return res
	}
	res.NotUnderstood = words
	return p.abstain(in, res, "")
}

// beside puts unread words together that stand beside each other without a blank.
func beside(words []string, question string) []string {
	var out []string
	for _, w := range words {
		if n := len(out); n > 0 && strings.Contains(question, out[n-1]+w) {
			out[n-1] += w
		} else {
			out = append(out, w)
		}
	}
	return out
}

// ask prepares the question: without the wish for a chart, where the data call nothing so.
func (p *Pipeline) ask(in Input) Input {
	in.Question, in.FollowUp = lang.QuoteEmails(inside(straight(in.Question))), lang.QuoteEmails(inside(straight(in.FollowUp)))
	if c := p.charts.Cut(in.Question); c.Wish != "" && len(in.Schema.view.Values(c.Name, false)) == 0 {
		in.Question, in.wish = c.Rest, c.Wish
	}
	in.asked = p.reader.Question(in.Question, in.Schema.view, in.Now)
	return p.onDataClock(in)
}

// plain reports whether a question that the written layer does not cover may be read
// over the tables: it named only metrics that are an aggregate of a column of one
// table, which mean there what they mean in the layer. A metric with conditions, or
// one that is made of others, means more than tables tell, and so does a date that the
// layer names.
func (p *Pipeline) plain(in Input, over Result) bool {
	return over.Outcome == Abstained && ofColumns(in.Schema, over.Intent)
}

// greatest is the answer to a question for the greatest or least value in each group, as "the highest amount per
// customer", where the written layer has a metric that is an aggregate of the column: the metric would be ranked, and
// one group's total be told.
func (p *Pipeline) greatest(in Input, over Result) (Result, bool) {
	if over.Outcome != Answered || !ofColumns(in.Schema, over.Intent) || len(over.Intent.OrderBy) == 0 {
		return Result{}, false
	}
	read, ok := p.read(in, p.readings(in))
	return read, ok && len(read.Intent.GroupBy) > 0 && slices.ContainsFunc(read.Intent.Select, func(o intent.Output) bool {
		return o.Agg == intent.AggMax || o.Agg == intent.AggMin
	})
}

// ofColumns reports whether the metrics of an intent are aggregates of a column of one table, without conditions,
// and no date that the layer names is asked for.
func ofColumns(s *Schema, x *intent.Intent) bool {
	if x == nil || x.Time != nil && x.Time.By != "" {
		return false
	}
	for _, o := range x.Select {
		m, ok := s.written.Metric(o.ID)
		if !ok || m.Composed() || len(m.DefaultFilters) > 0 || m.TimeTable != "" || strings.Contains(m.Table, semantic.CIDPlaceholder) {
			return false
		}
		x, err := semantic.ParseExpr(m.Expr)
		call, isCall := x.(*tree.Call)
		if err != nil || !isCall || len(call.Args) != 1 {
			return false
		}
		if _, isColumn := call.Args[0].(*tree.ColumnRef); !isColumn {
			return false
		}
	}
	return len(x.Select) > 0
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
