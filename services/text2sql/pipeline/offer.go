package pipeline

import (
	"cmp"
	"crypto/sha256"
	_ "embed" // offers.yaml
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/metric"
)

//go:embed offers.yaml
var offerFile []byte

func loadOffers() (messages, error) {
	var m messages
	if err := yaml.Unmarshal(offerFile, &m); err != nil {
		return nil, fmt.Errorf("words of offered readings: %w", err)
	}
	return m, nil
}

// Offer is a reading of a question that was not answered, put to the asker in words.
type Offer struct {
	// ID is that of the option: readings are told apart by what they ask for, so that a
	// choice finds its reading when the question is read again.
	ID string
	// Label says all of the reading, and what it leaves out of the question.
	Label string
	// Said is Label without what is left out.
	Said string
	// Unread are the words of the question that the reading does nothing with.
	Unread []string
	// Likelihood orders offers, from 0 to 1. It is not calibrated.
	Likelihood float64

	result Result
	why    []string // what it took for granted, as sentences
}

// SQL is the statement of the reading.
func (o *Offer) SQL() string { return o.result.SQL }

// Intent is what the reading asks for.
func (o *Offer) Intent() *intent.Intent { return o.result.Intent }

const (
	// readingOption begins the id of an option that is a reading.
	readingOption = "reading:"
	// personsChoice is how sure an answer is whose reading a person chose: what is left is
	// that the words of the option say less than its SQL does.
	personsChoice = 0.95
	// minOffered is below which a reading is no help: it fits words of the question by
	// chance.
	minOffered = 0.25
	// perUnread is what each word that a reading leaves out takes of its likelihood.
	perUnread = 0.5
	// maxUnread is how many words an offered reading may leave out.
	maxUnread = 1
	// maxGuessed is how far a reading that leaves a word out may have guessed about the
	// others: one that bends what it knows to fit, and passes over the rest, is about
	// something else.
	maxGuessed = 0.35
	// idBytes of the hash of an intent tell the readings of one question apart.
	idBytes = 12
)

// IsReading reports whether an option is a reading that was offered.
func IsReading(option string) bool { return strings.HasPrefix(option, readingOption) }

// Offers are readings of a question that may be what is meant, likeliest first, each
// said in words and different from the others in its SQL. They are not checked: whoever
// puts them to the asker tries them first.
//
// A change of an earlier question has none: what is offered in its place would be read
// without it.
func (p *Pipeline) Offers(in Input) []Offer {
	if in.Previous != nil && !in.Alone {
		return nil
	}
	if in = p.ask(in); in.clock.outside {
		in = p.readBy(in)
	}
	var list []Offer
	if over, ok := p.metric(in); ok && !p.plain(in, over) {
		list = p.offerMetric(in, over)
	} else {
		list = append(p.offerReadings(in), p.offerDrafts(in)...)
	}
	slices.SortStableFunc(list, func(a, b Offer) int { return cmp.Compare(b.Likelihood, a.Likelihood) })
	var out []Offer
	for _, o := range list {
		known := slices.ContainsFunc(out, func(other Offer) bool { return other.SQL() == o.SQL() || other.Label == o.Label })
		if !known && o.Likelihood >= minOffered {
			out = append(out, o)
		}
	}
	return out
}

// offered is the answer to a question whose reading a person chose; ok is false where the
// question has no such reading any more.
func (p *Pipeline) offered(in Input) (res Result, ok bool) {
	id := in.Chosen
	in.Chosen = ""
	choose := func(list []Offer) bool {
		i := slices.IndexFunc(list, func(o Offer) bool { return o.ID == id })
		if i < 0 {
			return false
		}
		o := &list[i]
		res = o.result
		res.Confidence, res.NotUnderstood = personsChoice, o.Unread
		res.Changes = append(res.Changes, p.offers.text(in.Language, "chosen", o.Label))
		return true
	}
	if choose(p.Offers(in)) {
		return res, true
	}
	answer := p.answer(in)
	if stands, ok := p.Stands(in, &answer); ok && choose([]Offer{stands}) {
		return res, true
	}
	return res, choose(p.Loosened(in, &answer))
}

// conditionsApart are the places of conditions that say one thing each: the two ends of a time are one.
func conditionsApart(list []intent.Cond) (parts []struct{ from, to int }) {
	lower, upper := []intent.Op{intent.Ge, intent.Gt}, []intent.Op{intent.Lt, intent.Le}
	for i := 0; i < len(list); i++ {
		part := struct{ from, to int }{i, i + 1}
		if i+1 < len(list) && list[i].Left != nil && list[i+1].Left != nil && *list[i].Left == *list[i+1].Left && slices.Contains(lower, list[i].Op) && slices.Contains(upper, list[i+1].Op) {
			part.to++
		}
		parts = append(parts, part)
		i = part.to - 1
	}
	return parts
}

// Stands is an answer put to the asker beside other readings; ok is false where no words say it. Who chooses it is
// answered with it.
func (p *Pipeline) Stands(in Input, res *Result) (o Offer, ok bool) {
	if res.Outcome != Answered || res.Intent == nil || res.Statement == nil {
		return o, false
	}
	if in.asked == nil {
		in = p.ask(in)
	}
	return p.offer(in, *res, nil, 1)
}

// Loosened are what an answer is without one of its conditions each, in their order: what there is where no
// row fulfils all of them.
func (p *Pipeline) Loosened(in Input, res *Result) []Offer {
	if res.Outcome != Answered || res.Intent == nil {
		return nil
	}
	parts := conditionsApart(res.Intent.Filters)
	if len(parts) < 2 {
		return nil
	}
	if in.asked == nil {
		in = p.ask(in)
	}
	var out []Offer
	for _, part := range parts {
		loose := *res.Intent
		loose.Filters = slices.Delete(slices.Clone(res.Intent.Filters), part.from, part.to)
		stmt, err := in.Schema.gen.Statement(&loose)
		if err != nil {
			continue
		}
		said, one := p.restater(in, res.Intent), loose
		one.Filters, one.With = res.Intent.Filters[part.from:part.to], nil
		left := said.conditions(&one)
		o, ok := p.offer(in, Result{Outcome: Answered, Statement: stmt, SQL: printer.Format(stmt), Intent: &loose}, nil, minOffered)
		if !ok || said.failed || len(left) != 1 {
			continue
		}
		o.Label += in.Language.Pick("; ", "；") + p.offers.text(in.Language, "without", left[0])
		out = append(out, o)
	}
	return out
}

// offer makes an offer of an answer; ok is false where its words do not say all of it.
func (p *Pipeline) offer(in Input, res Result, unread []string, likelihood float64) (Offer, bool) {
	said, ok := p.restate(in, res.Intent)
	if !ok || len(unread) > maxUnread || len(unread) > 0 && unconditional(res.Intent) || in.Schema.computesKeys(res.Intent) || in.Schema.byLetters(res.Intent) != nil || len(p.unmet(in, res.Intent, res.Statement)) > 0 {
		return Offer{}, false
	}
	text, err := json.Marshal(res.Intent)
	if err != nil {
		return Offer{}, false
	}
	sum := sha256.Sum256(append(text, strings.Join(unread, "\x00")...))
	o := Offer{
		ID: readingOption + hex.EncodeToString(sum[:idBytes]), Said: said, Label: said, Unread: unread, result: res,
		Likelihood: likelihood * math.Pow(perUnread, float64(len(unread))),
	}
	if len(unread) > 0 {
		r := restater{language: in.Language, texts: p.offers}
		o.Label += in.Language.Pick("; ", "；") + r.say("without", r.quoteEach(unread))
	}
	return o, true
}

// unconditional reports whether an intent is about all rows, and splits them by nothing. A
// reading that is, and leaves a word out, has most often lost the only condition of the
// question: its number is that of everything, which nobody asked for.
func unconditional(i *intent.Intent) bool {
	return len(i.GroupBy) == 0 && len(i.Filters) == 0 && len(i.Having) == 0 && len(i.With) == 0 && i.Limit == 0 && (i.Time == nil || i.Time.From == "" && i.Time.To == "") &&
		!slices.ContainsFunc(i.Select, func(o intent.Output) bool {
			return slices.ContainsFunc(o.Leaves(), func(l intent.Output) bool { return l.When != nil || l.Value != "" })
		})
}

// offerReadings are offers of what the reader of the data's own names reads. It knows
// nothing of terms and rules that come with a question.
func (p *Pipeline) offerReadings(in Input) (out []Offer) {
	if len(in.Terms) > 0 || len(in.Rules) > 0 {
		return nil
	}
	readings, _ := in.asked.Readings()
	for i := range readings {
		x := &readings[i]
		stmt, err := in.Schema.gen.Statement(&x.Intent)
		if err != nil || in.Schema.country(stmt) > 0 {
			continue
		}
		res := p.readingResult(in, x, stmt, 0)
		unread := leftOut(x)
		if len(unread) > 0 && x.Doubt.Names+x.Doubt.Values+x.Doubt.Guess > maxGuessed || slices.ContainsFunc(unread, p.matters) {
			continue
		}
		if o, ok := p.offer(in, res, unread, p.sureness.of(x, stmt, math.Inf(1), in)*math.Exp(readings[0].Cost-x.Cost)); ok {
			if in.clock.outside {
				o.why = append(o.why, p.clockText(in))
			}
			for _, n := range x.Notes {
				if text := p.noteText(in.Language, n); text != "" && !slices.Contains(restated, n.ID) {
					o.why = append(o.why, text)
				}
			}
			out = append(out, o)
		}
	}
	return out
}

// leftOut are the words of a question that a reading does nothing with, as they were said.
func leftOut(x *reader.Reading) []string {
	out := slices.Clone(x.Unread)
	for _, n := range x.Notes {
		if n.ID != "unplaced" {
			continue
		}
		for _, label := range n.Args {
			if i := slices.IndexFunc(x.Spans, func(s reader.Span) bool { return s.Meaning == label }); i >= 0 {
				label = x.Spans[i].Text
			}
			out = append(out, label)
		}
	}
	return out
}

// matters reports whether general language knows what a word does to a question: a
// number, a time, a negation, a comparison, an order. A reading without it answers
// another question, however it is told.
func (p *Pipeline) matters(words string) bool {
	tokens := language.Split(words)
	for i := range tokens {
		if tokens[i].Kind == language.Number {
			return true
		}
		for to := i + 1; to <= min(len(tokens), i+p.general.Longest()); to++ {
			if p.general.Adjective(language.Key(tokens[i:to])) != nil {
				return true
			}
		}
	}
	if p.tagged(words, func(tag string) bool { return tag != language.Stop }) {
		return true
	}
	return len(p.dates.Find(words, time.Time{})) > 0
}

// tagged reports whether a phrase of a text has such a tag in general language.
func (p *Pipeline) tagged(text string, is func(tag string) bool) bool {
	tokens := language.Split(text)
	for i := range tokens {
		for to := i + 1; to <= min(len(tokens), i+p.general.Longest()); to++ {
			if slices.ContainsFunc(p.general.Tags(language.Key(tokens[i:to])), func(t language.Tag) bool { return is(t.Name) }) {
				return true
			}
		}
	}
	return false
}

// negations are the tags of the general words that turn a condition round.
var negations = []string{"not", "never", "except", "missing"}

// offerDrafts are offers of what the grammar over all tables reads, as far as it uses
// every word that it knows.
func (p *Pipeline) offerDrafts(in Input) (out []Offer) {
	asked, unread := spelled(in.Question, in.Terms, in.Rules)
	if unread > 0 {
		return nil // a rule speaks of what is asked that no words of an option would say
	}
	asked, round := asides(asked)
	items := p.items(asked, in.Schema, in.Now)
	list, _ := p.candidates(items, p.grammar.Read(items, p.lex), in, round)
	for i := range list {
		c := &list[i]
		if c.Reading.Draft.Unclear != "" || in.Schema.country(c.Statement) > 0 {
			continue
		}
		var left []string
		for _, it := range items {
			if _, used := c.Reading.Used[it]; !used && (it.Unknown() || len(it.Tables)+len(it.Columns)+len(it.Values) > 0 || it.Number != "" || it.Quoted) {
				left = append(left, strings.TrimSpace(it.Text))
			}
		}
		if len(left) > 0 || !p.keeps(in.Question, c) {
			continue
		}
		unread := slices.DeleteFunc(in.asked.Unknown(), func(word string) bool { return usesWord(items, c, word) })
		c.Probability = p.model.Probability(c.Features)
		res := Result{Outcome: Answered}
		res.take(c, items, 0)
		res.SQL = printer.Format(res.Statement)
		p.overTables(in, &res)
		if o, ok := p.offer(in, res, unread, p.confidence(c, in)); ok {
			out = append(out, o)
		}
	}
	return out
}

// usesWord reports whether a draft does something with a word that the data and the general
// words do not know: it may know it by another language.
func usesWord(items []*link.Item, c *Candidate, word string) bool {
	return slices.ContainsFunc(items, func(it *link.Item) bool {
		_, used := c.Reading.Used[it]
		return used && strings.Contains(strings.ToLower(it.Text), strings.ToLower(word))
	})
}

// keeps reports whether a draft does something with each number and each negation of a
// question: the grammar over all tables does not tell which operators it passed over.
func (p *Pipeline) keeps(question string, c *Candidate) bool {
	for _, t := range language.Split(question) {
		if t.Kind == language.Number && !strings.Contains(c.SQL, strings.ReplaceAll(t.Text, ",", "")) {
			return false
		}
	}
	if !p.tagged(question, func(tag string) bool { return slices.Contains(negations, tag) }) {
		return true
	}
	turned := false
	tree.Walk(c.Statement, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Not, *tree.IsNull:
			turned = true
		case *tree.Binary:
			turned = turned || n.Op == tree.OpNe || n.Op == tree.OpDistinct
		case *tree.InList:
			turned = turned || n.Not
		}
		return !turned
	})
	return turned
}

// computesKeys reports whether an intent adds up or averages what only tells rows apart.
func (s *Schema) computesKeys(i *intent.Intent) bool {
	return slices.ContainsFunc(i.Select, func(o intent.Output) bool {
		return slices.ContainsFunc(o.Leaves(), func(l intent.Output) bool {
			if l.Agg != intent.AggSum && l.Agg != intent.AggAvg {
				return false
			}
			c := s.view.ColumnOf(l.ID)
			return c != nil && c.Nature == schema.Identifier
		})
	})
}

// offerMetric is the offer of a metric that was read beside words that nobody knows.
func (p *Pipeline) offerMetric(in Input, over Result) []Offer {
	if over.Outcome != Abstained || over.Intent == nil || len(over.NotUnderstood) == 0 || len(over.Doubts) > 0 {
		return nil
	}
	res := p.overLayer(in, Result{Intent: over.Intent, Understood: over.Understood, Confidence: MaxMetricConfidence}, metric.Reading{Intent: *over.Intent})
	if res.Outcome != Answered {
		return nil
	}
	o, ok := p.offer(in, res, over.NotUnderstood, res.Confidence)
	if !ok {
		return nil
	}
	return []Offer{o}
}

// overTables fills in what is told of an answer over tables.
func (p *Pipeline) overTables(in Input, res *Result) {
	if in.ShowBasis {
		res.showBasis(in.Schema.gen)
		res.SQL = printer.Format(res.Statement)
	}
	res.Draft = printer.Print(res.Statement)
	res.Labels = p.freeLabels(in, res.Intent)
	res.Reason = p.messages.text(in.Language, "reason_tables", strings.Join(tableNames(res.Statement), ", "))
}

// OfferQuestion is what the asker of a question is told with its offers: what was read,
// and what was not.
func (p *Pipeline) OfferQuestion(in Input, offers []Offer) string {
	best := offers[0]
	ask := p.offers.text(in.Language, map[bool]string{true: "offer_one", false: "offer_many"}[len(offers) == 1])
	if len(best.Unread) == 0 {
		return p.offers.text(in.Language, "offer_unsure", best.Said, p.whyUnsure(in, best, len(offers)), ask)
	}
	r := restater{language: in.Language, texts: p.offers}
	return p.offers.text(in.Language, "offer_unread", best.Said, r.quoteEach(best.Unread), ask)
}

// Conditional reports whether an answer over the tables themselves has conditions that may come to nothing together: a
// stored value alone has rows. An answer by a layer's metrics has none that this tells of: a metric may have no value in a period.
func (p *Pipeline) Conditional(res *Result) bool {
	return len(res.Metrics) == 0 && len(res.Changes) == 0 && res.Intent != nil && len(conditionsApart(res.Intent.Filters))+len(res.Intent.With) > 1
}

// NothingQuestion asks for the meaning of a question whose likeliest reading, said, comes to nothing.
func (p *Pipeline) NothingQuestion(in Input, said string) string {
	return p.offers.text(in.Language, "offer_nothing", said, p.offers.text(in.Language, "offer_many"))
}

// whyUnsure says why a reading that uses every word is put to the asker first: what it took
// for granted, that there are others, or that a name is not quite called so.
func (p *Pipeline) whyUnsure(in Input, best Offer, offers int) string {
	switch {
	case len(best.why) > 0:
		return strings.Join(best.why[:min(len(best.why), maxWhy)], in.Language.Pick(" ", ""))
	case offers > 1:
		return p.offers.text(in.Language, "unsure_others")
	}
	return p.offers.text(in.Language, "unsure_names")
}

// restated are the notes that say what the words of a reading say already.
var restated = []string{"compared_periods", "same_days"}

// maxWhy is how many of the things that a reading took for granted an offer tells.
const maxWhy = 2

// OfferRows says how many rows an offered reading has; more: there are more than those.
func (p *Pipeline) OfferRows(in Input, n int, more bool) string {
	return p.offers.text(in.Language, map[bool]string{true: "offer_more_rows", false: "offer_rows"}[more], n)
}
