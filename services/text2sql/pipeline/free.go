package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/bind"
	"github.com/dibrain/dibrain/services/text2sql/chinese"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/parse"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// free reads a question over the layer derived from the tables.
func (p *Pipeline) free(in Input) Result {
	items := p.items(in.Question, in.Schema, in.Now)
	draft := parse.Read(items, p.lex)[0]
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
		confidence := p.score(r, res.NotUnderstood) * in.Schema.country(stmt)
		if lang.Detect(in.Question) == lang.Chinese {
			confidence *= chineseFactor
		}
		if len(items) > 0 && items[0].Is("person") && in.Schema.layer.NamesNobody(&r.Intent) {
			confidence *= nobodyFactor
			res.Doubts = append(res.Doubts, "a person was asked for")
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
	res.Confidence = p.calibration.confidence(res.Confidence)
	for i := range res.Alternatives {
		res.Alternatives[i].Confidence = p.calibration.confidence(res.Alternatives[i].Confidence)
	}
	if res.Statement == nil || res.Confidence < p.threshold {
		return p.abstain(in, res, "")
	}
	res.Outcome = Answered
	res.SQL = printer.Format(res.Statement)
	res.Labels = p.freeLabels(in.Language, in.Schema.gen, res.Intent)
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

// items covers a question with what its words may stand for.
func (p *Pipeline) items(question string, s *Schema, now time.Time) []*link.Item {
	words := p.lex.Chinese()
	tokens := p.periods(token.Split(question, words.Dictionary()), question, s, now)
	if lang.Detect(question) == lang.Chinese {
		return chinese.Order(s.index.Cover(words.Gloss(tokens)), p.lex, s.index)
	}
	return s.index.Cover(s.index.Coordinate(tokens))
}

// MaxFreeConfidence is the highest confidence of an answer over tables: words
// can always have been meant in another way.
const MaxFreeConfidence = 0.97

// A reading whose rank is so close to the best one's is as good, and leaves that
// share of the confidence.
const (
	closeRank   = 0.03
	closeFactor = 0.75
)

// chineseFactor is what a reading keeps whose words of the schema went through a
// dictionary: fewer of such readings are right.
const chineseFactor = 0.65

// nobodyFactor is what a reading keeps that answers "who" with days or numbers.
const nobodyFactor = 0.3

// unknownFactor is what a content word that nothing covers leaves of the
// confidence; number that no rule took counts as much.
const unknownFactor = 0.45

// unknownVerbFactor is the same for participles: they most often only say how two
// things are related, which the joins say already.
const unknownVerbFactor = 0.7

func verbForm(w string) bool {
	return len(w) > 4 && strings.ToLower(w) == w && (strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "ing"))
}

// score is how sure a reading is, before calibration.
func (p *Pipeline) score(r *bind.Reading, notUnderstood []string) float64 {
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
