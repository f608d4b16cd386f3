package metric

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Reading is a question as read.
type Reading struct {
	Intent        intent.Intent
	Spans         []Span
	NotUnderstood []string
	Doubts        []string // why the reading may be wrong
	Assumptions   []string // ids of texts; see pipeline
	// Choice is set where a name has several meanings: ids of metrics.
	Choice []string
}

// Span is a piece of the question and what it was taken for.
type Span struct {
	Start, End          int
	Text, Kind, Meaning string
}

// unit is a linked piece of the question, in order.
type unit struct {
	tokens   []token.Token
	meanings []meaning
	tags     []lexicon.Tag
	date     *dates.Found
	number   int64
}

func (u *unit) is(tag string) bool {
	return slices.ContainsFunc(u.tags, func(t lexicon.Tag) bool { return t.Name == tag })
}

func (u *unit) arg(tag string) string {
	for _, t := range u.tags {
		if t.Name == tag {
			return t.Arg
		}
	}
	return ""
}

func (u *unit) of(k kind) (meaning, bool) {
	for _, m := range u.meanings {
		if m.kind == k && m.own {
			return m, true
		}
	}
	for _, m := range u.meanings {
		if m.kind == k {
			return m, true
		}
	}
	return meaning{}, false
}

// Read reads a question. ok is false where it names no metric: the question is
// none for this reader.
func (n *Names) Read(question string, dr *dates.Reader, now time.Time) (r Reading, ok bool) {
	rd := reader{names: n, text: question, units: n.link(question, dr.Find(question, now))}
	rd.run()
	return rd.out, len(rd.out.Intent.Select) > 0
}

// link covers the question: dates first, then the longest names and phrases.
func (n *Names) link(question string, found []dates.Found) []unit {
	tokens := token.Split(question, n.dict)
	var out []unit
	for i := 0; i < len(tokens); {
		if f := dateAt(found, tokens[i]); f != nil {
			j := i
			for j < len(tokens) && tokens[j].Start < f.End {
				j++
			}
			out = append(out, unit{tokens: tokens[i:j], date: f})
			i = j
			continue
		}
		u := n.longestAt(tokens, i, found)
		out = append(out, u)
		i += len(u.tokens)
	}
	return out
}

func dateAt(found []dates.Found, t token.Token) *dates.Found {
	for i := range found {
		if t.Start < found[i].End && found[i].Start < t.End {
			return &found[i]
		}
	}
	return nil
}

func (n *Names) longestAt(tokens []token.Token, i int, found []dates.Found) unit {
	limit := min(len(tokens), i+max(n.longest, n.lex.MaxWords()))
	best := unit{tokens: tokens[i : i+1]}
	for j := i + 1; j <= limit; j++ {
		if dateAt(found, tokens[j-1]) != nil {
			break
		}
		span := tokens[i:j]
		names := n.byKey[keyOf(span)]
		if len(names) > 0 && span[len(span)-1].Kind != token.Mark && n.plausible(span, names) {
			best = unit{tokens: span, meanings: names}
		}
		lowers := make([]string, len(span))
		for k, t := range span {
			lowers[k] = t.Lower
		}
		if tags := n.lex.Phrase(strings.Join(lowers, " ")); len(tags) > 0 && (len(span) > len(best.tokens) || len(best.meanings) == 0) {
			best = unit{tokens: span, tags: tags}
		}
	}
	if len(best.meanings) == 0 && len(best.tags) == 0 && tokens[i].Kind == token.Number {
		if v, err := strconv.ParseInt(tokens[i].Text, 10, 64); err == nil {
			best.number = v
		}
	}
	return best
}

// plausible keeps codes of two letters, such as ID, MY or IN, from being read
// out of ordinary words: they count in capitals only.
func (n *Names) plausible(span []token.Token, names []meaning) bool {
	t := span[0]
	if len(span) > 1 || t.Kind != token.Word || len(t.Text) > 2 {
		return true
	}
	for _, r := range t.Text {
		if !unicode.IsUpper(r) {
			return false
		}
	}
	return len(names) > 0
}

type reader struct {
	names *Names
	text  string
	units []unit
	pos   int
	out   Reading

	group   bool // after "by", "each", "which", "top 5"
	negated bool
	desc    *bool // of a superlative
	trend   bool
}

func (r *reader) run() {
	for r.pos = 0; r.pos < len(r.units); r.pos++ {
		r.unit(&r.units[r.pos])
	}
	r.finish()
}

func (r *reader) span(u *unit, kind, meaning string) {
	from, to := u.tokens[0].Start, u.tokens[len(u.tokens)-1].End
	r.out.Spans = append(r.out.Spans, Span{Start: from, End: to, Text: r.text[from:to], Kind: kind, Meaning: meaning})
}

func (r *reader) miss(u *unit) {
	from, to := u.tokens[0].Start, u.tokens[len(u.tokens)-1].End
	r.out.NotUnderstood = append(r.out.NotUnderstood, r.text[from:to])
}

func (r *reader) unit(u *unit) {
	switch {
	case u.date != nil:
		r.date(u)
	case len(u.meanings) > 0:
		r.name(u)
	case u.number > 0:
		r.number(u)
	case u.is("group"), u.is("which"):
		r.group = true
	case u.is("of") && strings.EqualFold(u.tokens[0].Text, "by"), u.is("of") && strings.EqualFold(u.tokens[0].Text, "across"):
		r.group = true
	case u.is("super"), u.is("adjective"), u.is("common"):
		r.superlative(u)
	case u.is("top"):
		r.superlative(u)
	case u.is("order"):
		if arg := u.arg("order"); arg == "asc" || arg == "desc" {
			d := arg == "desc"
			r.desc = &d
		}
	case u.is("not"), u.arg("cmp") == "<>":
		r.negated = true
	case u.is("trend"):
		r.trend = true
	case u.is("cmp"):
		r.miss(u)
	case u.is("agg") && u.arg("agg") == "sum", u.is("count"), u.is("and"), u.is("distinct"):
	case u.is("agg"):
		r.miss(u) // an average of a metric is another number than the metric
	case u.is("or"):
	case len(u.tags) > 0:
		if !u.is("of") && !u.is("stop") {
			r.group = false
		}
	case u.tokens[0].Kind == token.Mark:
	default:
		r.miss(u)
	}
}

func (r *reader) number(u *unit) {
	prevTop := r.pos > 0 && (r.units[r.pos-1].is("top") || r.units[r.pos-1].is("super"))
	next := r.pos+1 < len(r.units)
	if prevTop || next && r.units[r.pos+1].is("super") {
		r.out.Intent.Limit = u.number
		r.group = true
		if r.desc == nil {
			d := true
			r.desc = &d
		}
		r.span(u, "number", "limit "+strconv.FormatInt(u.number, 10))
		return
	}
	if r.desc != nil && r.out.Intent.Limit == 0 && u.number <= 1000 {
		r.out.Intent.Limit = u.number
		r.span(u, "number", "limit "+strconv.FormatInt(u.number, 10))
		return
	}
	r.miss(u)
}

func (r *reader) superlative(u *unit) {
	d := u.arg("super") != "min" && u.arg("common") != "min"
	r.desc = &d
	r.group = r.group || u.is("top") || strings.EqualFold(u.tokens[0].Text, "top")
	r.span(u, "order", "rank")
}

func (r *reader) date(u *unit) {
	f := u.date
	t := r.out.Intent.Time
	if t == nil {
		t = &intent.Time{}
		r.out.Intent.Time = t
	}
	switch {
	case f.Comparison:
		r.miss(u)
		r.out.Doubts = append(r.out.Doubts, "comparison")
	case f.Grain != "":
		t.Grain = f.Grain
		r.span(u, "time", "by "+f.Grain)
	case t.From != "" || t.To != "":
		r.out.Doubts = append(r.out.Doubts, "two ranges of time")
		r.miss(u)
	default:
		if !f.From.IsZero() {
			t.From = f.From.Format(time.DateOnly)
		}
		if !f.To.IsZero() {
			t.To = f.To.Format(time.DateOnly)
		}
		t.Text = f.Text
		r.span(u, "time", t.From+" to "+t.To)
		if f.Today {
			r.out.Assumptions = append(r.out.Assumptions, "period_not_over")
		}
	}
	r.group = false
}
