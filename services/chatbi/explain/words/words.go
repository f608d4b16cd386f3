// Package words says an explanation in English and Chinese.
package words

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/explain"
)

// Labels are what people call things, in the language of the text. What has no label
// is called by its id.
type Labels struct {
	Metric string
	// Unit of the metric, as in analyse.Column: "USD", "fraction", empty.
	Unit string
	// Factors and Dimensions by id; units of factors by id.
	Factors, FactorUnits, Dimensions map[string]string
	// Countries are the ids of the dimensions whose values are ISO 3166 codes of countries.
	Countries []string
	// Before and After are the periods in words, such as "1 to 7 March".
	Before, After string
	// Filters of the question in words; they are part of the headline.
	Filters []string
}

// Text is an explanation in words. Every part but Headline may be empty.
type Text struct {
	// Headline says the change and what accounts for it.
	Headline string
	// Factors has a sentence for the factors, or for the rate and mix of a ratio.
	Factors []string
	// Cells has one sentence for each of Explanation.Telling, in that order.
	Cells []string
	// When says the onset and the events at it.
	When []string
	// Notes say what usual changes are and what could not be split, and why.
	Notes []string
}

// Writer says explanations. It is safe for concurrent use.
type Writer struct{ messages messages }

// New returns a writer. An error means that its embedded file is broken.
func New() (*Writer, error) {
	m, err := loadMessages(messagesYAML)
	if err != nil {
		return nil, err
	}
	return &Writer{messages: m}, nil
}

// Say returns the explanation in words. What comes from data and labels is made fit to be
// shown: it stands on one line and has no control characters.
func (w *Writer) Say(e explain.Explanation, labels Labels, language lang.Language) Text {
	if language != lang.Chinese {
		language = lang.English
	}
	s := &saying{messages: w.messages, language: language, Explanation: e, labels: labels}
	s.figures = figuresOf(labels.Unit, s, e.Metric.Before, e.Metric.After)
	return Text{
		Headline: result.Alike(s.headline()), Factors: result.AlikeIn(s.factors()...), Cells: result.AlikeIn(s.cells()...),
		When: result.AlikeIn(s.when()...), Notes: result.AlikeIn(s.notes()...),
	}
}

// Value is one value of a dimension as people read it: on one line, with words for what is
// no value of the data's own.
func (w *Writer) Value(value string, language lang.Language) string {
	return (&saying{messages: w.messages, language: language}).valueOf(value)
}

// Without is what a group is called, such as "country: Thailand", with the groups whose cells
// are none of its own.
func (w *Writer) Without(name string, e explain.Element, labels Labels, language lang.Language) string {
	return (&saying{messages: w.messages, language: language, labels: labels}).without(name, []explain.Element{e})
}

// saying is one explanation on its way into words.
type saying struct {
	messages
	explain.Explanation
	language lang.Language
	labels   Labels
	figures  figures
}

// headline says the change, then what accounts for it.
func (s *saying) headline() string {
	change := s.change()
	about := s.about()
	space := s.language.Pick(" ", "")
	return s.sentence(change) + space + s.sentence(about)
}

func (s *saying) change() string {
	metric := prose.Line(s.labels.Metric)
	if len(s.labels.Filters) > 0 {
		metric = s.text("filtered", args{"metric": metric, "filters": prose.Line(strings.Join(s.labels.Filters, s.text("comma", nil)))})
	}
	a := args{
		"metric": metric, "change": s.figures.change(s.figures.between(s.Metric)),
		"before": s.during(beside(s.figures.level(s.Metric.Before), 0), s.labels.Before),
		"after":  s.during(beside(s.figures.level(s.Metric.After), 0), s.labels.After),
	}
	if s.Metric.Change() == 0 {
		return s.text("stayed", a)
	}
	text := s.text("rose", a)
	if s.Metric.Change() < 0 {
		text = s.text("fell", a)
	}
	// Beside percentage points a relative change would be taken for them.
	if s.Relative != nil && s.labels.Unit != unitFraction {
		text += s.text("rate", args{"rate": percent(*s.Relative)})
	}
	return text
}

func (s *saying) during(value, period string) string {
	if period == "" {
		return value
	}
	return s.text("during", args{"value": value, "period": prose.Line(period)})
}

// about says what the outcome is.
func (s *saying) about() string {
	switch s.Outcome {
	case explain.OneCause, explain.SeveralCauses:
		var texts []string
		if !slices.ContainsFunc(s.Causes, func(c explain.Cause) bool { return !s.less(c) }) {
			texts = append(texts, s.text("most_alike", nil)) // what moved less says nothing of why the rest moved
		}
		for _, c := range s.Causes {
			texts = append(texts, s.cause(c))
		}
		if growth, known := s.restGrowth(); known && math.Abs(growth) >= leastGrowth {
			texts = append(texts, s.text("all_else", args{"growth": percent(growth)}))
		}
		if rest := s.restPoints(); math.Abs(rest) > math.Abs(s.Metric.Change())/2 {
			texts = append(texts, s.text("rest_most", args{"rest": s.figures.change(rest)}))
		}
		return strings.Join(texts, s.text("between", nil))
	case explain.Offsetting:
		var up, down []string
		for _, c := range s.Causes {
			text := s.text("signed", args{"name": s.names(c), "accounts": s.figures.signed(c.Accounts)})
			if c.Excess > 0 {
				up = append(up, text)
			} else {
				down = append(down, text)
			}
		}
		return s.text("offsetting", args{"up": s.list(up), "down": s.list(down)})
	case explain.NothingUnusual:
		low, high := s.usual()
		return s.text("nothing_unusual", args{"low": low, "high": high})
	case explain.NotDecomposable:
		var reasons []string
		for _, r := range s.Refusals {
			if reason := s.reason(r); r.Split != explain.ByTime && !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
		if len(reasons) == 0 {
			reasons = append(reasons, s.text("no_split", nil))
		}
		return s.text("not_decomposable", args{"reasons": strings.Join(reasons, s.text("between", nil))})
	}
	return s.text("evenly", nil)
}

// leastGrowth is the least growth of what is not named that is worth a word.
const leastGrowth = 0.01

// restGrowth is how much all that belongs to no cause changed, together, as a fraction: it
// and the causes are the whole. Not known of ratios, whose parts do not add up to the
// whole, and where nothing else was there before.
func (s *saying) restGrowth() (float64, bool) {
	if s.Kind == explain.Ratio {
		return 0, false
	}
	rest := s.Metric
	for _, c := range s.Causes {
		for _, e := range c.Elements {
			rest.Before -= e.Metric.Before
			rest.After -= e.Metric.After
		}
	}
	if rest.Before <= 0 || rest.Before < leastGrowth*math.Abs(s.Metric.Before) {
		return 0, false
	}
	return rest.Change() / rest.Before, true
}

// usual is what such changes usually are: of percentages in their points, as a relative
// change beside them would be taken for these.
func (s *saying) usual() (low, high string) {
	if s.labels.Unit == unitFraction {
		before := math.Abs(s.Metric.Before)
		return s.figures.signed(s.Usual.Low * before), s.figures.signed(s.Usual.High * before)
	}
	return percent(s.Usual.Low), percent(s.Usual.High)
}

// cause says what one cause accounts for.
func (s *saying) cause(c explain.Cause) string {
	a := args{"name": s.names(c), "account": s.text(map[bool]string{true: "accounts", false: "account"}[len(c.Elements) == 1], nil), "accounts": s.figures.change(c.Accounts), "share": share(c.Share)}
	key := "cause_more"
	switch {
	case s.less(c):
		return s.text("cause_less", a)
	case c.Share >= 0 && c.Share <= 1 && s.Metric.Change() != 0:
		return s.text("cause_share", a)
	case s.Metric.Change() == 0:
		key = "cause_alone"
	case c.Share < 0:
		key = "cause_against"
	}
	a["accounts"] = s.figures.signed(c.Accounts)
	return s.text(key, a)
}

// less tells whether a cause stands out by having moved with the whole, and less than the rest.
func (s *saying) less(c explain.Cause) bool {
	return c.Share >= 0 && c.Share <= 1 && c.Excess*s.Metric.Change() < 0
}

// namedElements is how many elements of a cause are named.
const namedElements = 3

// names of the elements of a cause: "Thailand and Vietnam (country)".
func (s *saying) names(c explain.Cause) string {
	var values []string
	for _, e := range c.Elements[:min(len(c.Elements), namedElements)] {
		values = append(values, s.values(e.Places))
	}
	text := s.list(values)
	if more := len(c.Elements) - namedElements; more > 0 {
		text = s.text("more", args{"names": strings.Join(values, s.text("comma", nil)), "n": strconv.Itoa(more)})
	}
	text = s.text("place", args{"values": text, "dimensions": s.dimensions(c.Elements[0].Places)})
	return s.without(text, c.Elements)
}

// without says which groups, told before, are left out of elements.
func (s *saying) without(name string, elements []explain.Element) string {
	var others []string
	for _, e := range elements {
		for _, places := range e.Without {
			text := s.text("place", args{"values": s.values(places), "dimensions": s.dimensions(places)})
			if !slices.Contains(others, text) {
				others = append(others, text)
			}
		}
	}
	if len(others) == 0 {
		return name
	}
	return s.text("without", args{"name": name, "others": s.list(others)})
}

// name of one group: "Thailand · BANK_TRANSFER (country · payment method)".
func (s *saying) name(e explain.Element) string {
	text := s.text("place", args{"values": s.values(e.Places), "dimensions": s.dimensions(e.Places)})
	return s.without(text, []explain.Element{e})
}

func (s *saying) values(places []explain.Place) string {
	texts := make([]string, len(places))
	for i, p := range places {
		texts[i] = s.valueOf(p.Value)
		if slices.Contains(s.labels.Countries, p.Dimension) {
			texts[i] = cmp.Or(result.CountryName(p.Value, s.language), texts[i])
		}
	}
	return strings.Join(texts, " · ")
}

// valueOf is one value of a dimension as people read it.
func (s *saying) valueOf(value string) string {
	switch text := prose.Line(value); {
	case value == explain.ValueNull:
		return s.text("null", nil)
	case value == explain.ValueSeveral:
		return s.text("several", nil)
	case strings.TrimSpace(text) == "":
		return s.text("blank", nil)
	default:
		return text
	}
}

func (s *saying) dimensions(places []explain.Place) string {
	texts := make([]string, len(places))
	for i, p := range places {
		texts[i] = s.dimension(p.Dimension)
	}
	return strings.Join(texts, " · ")
}

func (s *saying) dimension(id string) string { return labelled(s.labels.Dimensions, id, id) }

func labelled(labels map[string]string, id, otherwise string) string {
	if label := labels[id]; label != "" {
		return prose.Line(label)
	}
	return prose.Line(otherwise)
}
