package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/bind"
	"github.com/dibrain/dibrain/services/text2sql/chinese"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/parse"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// draft is the likeliest reading of the grammar over all tables, whatever was made of it.
type draft struct {
	intent *intent.Intent
	stmt   *tree.Statement // nil: there is none
	sure   float64
}

// free reads a question over the layer derived from the tables: the likeliest of
// its readings, or none where that one is not likely enough.
func (p *Pipeline) free(in Input) (Result, draft) {
	asked, unread := spelled(in.Question, in.Terms, in.Rules)
	asked, round := asides(asked)
	items := p.items(asked, in.Schema, in.Now)
	drafts := p.grammar.Read(items, p.lex)
	list, refused := p.candidates(items, drafts, in, round)
	res := Result{Doubts: refused}
	if len(drafts) > 0 {
		res.NotUnderstood = unknown(items, drafts[0])
	}
	for i := range list {
		list[i].Probability = p.model.Probability(list[i].Features)
	}
	slices.SortStableFunc(list, func(a, b Candidate) int { return cmp.Compare(b.Probability, a.Probability) })
	confidence := func(c *Candidate) float64 {
		if unread > 0 {
			return p.confidence(c, in) * unreadRule
		}
		return p.confidence(c, in)
	}
	for i := range list {
		c := &list[i]
		if i > 0 {
			res.Alternatives = append(res.Alternatives, Alternative{SQL: c.SQL, Confidence: confidence(c)})
			continue
		}
		res.take(c, items, confidence(c))
	}
	a := ambiguous(list, confidence)
	if c := a.chosen(in.Chosen); c != nil {
		res.take(c, items, a.total)
	} else if a.asks(p.threshold) && len(res.NotUnderstood) == 0 { // what one word means does not tell what another does
		return p.askMeaning(in, res, &a), res.draft(in)
	}
	said := res.draft(in)
	if len(list) > 0 && list[0].Reading.Draft.Unclear != "" {
		res.Doubts = append(res.Doubts, list[0].Reading.Draft.Unclear)
		res.NotUnderstood = nil // it is what was understood that is not clear
		return p.abstain(in, res, ""), draft{}
	}
	if res.Statement == nil || res.Confidence < p.threshold || p.changes(res.NotUnderstood) {
		return p.abstain(in, res, ""), said
	}
	res.Outcome = Answered
	if in.ShowBasis {
		res.showBasis(in.Schema.gen)
	}
	res.SQL = printer.Format(res.Statement)
	res.Labels = p.freeLabels(in, res.Intent)
	res.Reason = p.messages.text(in.Language, "reason_tables", strings.Join(tableNames(res.Statement), ", "))
	return res, said
}

// draft is the reading that was taken, counted where a number is asked for.
func (res *Result) draft(in Input) draft {
	if res.Statement != nil {
		res.count(in)
	}
	return draft{intent: res.Intent, stmt: res.Statement, sure: res.Confidence}
}

// count counts what a reading lists, where a question asks how many there are: "how many
// have not been returned" wants no ids.
func (res *Result) count(in Input) {
	i := res.Intent
	if in.asked.Demands().HowMany == "" || i == nil || i.HasAggregate() || len(i.GroupBy)+len(i.Having)+len(i.OrderBy) > 0 || i.Limit > 0 || i.Set != nil || i.Counted {
		return
	}
	for _, o := range i.Select { // amounts are no things: "how much is the fee"
		if c := in.Schema.view.ColumnOf(o.ID); o.Calc != nil || c == nil || c.Nature == schema.Amount || c.Nature == schema.Level {
			return
		}
	}
	counted := *i
	counted.Counted = true
	if stmt, err := in.Schema.gen.Statement(&counted); err == nil {
		res.Intent, res.Statement = &counted, stmt
	}
}

// changes reports whether words that nothing covers ask for a change over time, as
// "growth" does: figures of one period are no answer to that.
func (p *Pipeline) changes(unread []string) bool {
	return slices.ContainsFunc(unread, func(words string) bool {
		return slices.ContainsFunc(p.dates.Find(words, time.Time{}), func(f dates.Found) bool { return f.Comparison && !f.Between })
	})
}

// take makes a candidate the result.
func (res *Result) take(c *Candidate, items []*link.Item, confidence float64) {
	res.Statement, res.SQL, res.Draft, res.Intent, res.Confidence = c.Statement, c.SQL, c.SQL, &c.Reading.Intent, confidence
	res.Doubts = append(res.Doubts, c.Reading.Doubts...)
	res.Understood = understood(items, &c.Reading)
	res.NotUnderstood = unknown(items, c.Reading.Draft)
}

// confidence is the share of readings as likely that were right. Chinese questions
// are less sure than what the model saw.
func (p *Pipeline) confidence(c *Candidate, in Input) float64 {
	sure := min(p.model.Confidence(c.Probability), MaxFreeConfidence)
	if lang.Detect(in.Question) == lang.Chinese {
		return p.inChinese.Of(sure, c.Features)
	}
	return sure
}

// country counts tables of one country that are read although their family has
// others: nothing in the reading chose them.
func (s *Schema) country(stmt *tree.Statement) (n float64) {
	read := tableNames(stmt)
	for i := range s.tables {
		t := &s.tables[i]
		if t.Country == "" || !slices.Contains(read, t.Name.String()) {
			continue
		}
		for j := range s.tables {
			if o := &s.tables[j]; o.Manifest == t.Manifest && o.Manifest != "" && o.Country != t.Country {
				n++
				break
			}
		}
	}
	return n
}

// items covers a question with what its words may stand for.
func (p *Pipeline) items(question string, s *Schema, now time.Time) []*link.Item {
	tokens := p.periods(token.Split(question, p.lex.Chinese().Dictionary()), question, s, now)
	if lang.Detect(question) == lang.Chinese {
		return chinese.Order(s.index.Cover(s.index.Gloss(tokens)), p.lex, s.index)
	}
	return s.index.Cover(s.index.Coordinate(tokens))
}

// MaxFreeConfidence is the highest confidence of an answer over tables: words
// can always have been meant in another way.
const MaxFreeConfidence = 0.97

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
	for _, it := range p.items(question, s, time.Time{}) {
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
