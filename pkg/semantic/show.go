package semantic

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
)

//go:embed sentences.yaml
var sentencesFile []byte

// sentences tell definitions, by key and language.
type sentences map[string]Text

func loadSentences() (sentences, error) {
	var s sentences
	if err := yaml.Unmarshal(sentencesFile, &s); err != nil {
		return nil, fmt.Errorf("read the embedded sentences: %w", err)
	}
	return s, nil
}

func (s sentences) say(l lang.Language, key string, args ...any) string {
	return fmt.Sprintf(l.Pick(s[key].EN, s[key].ZH), args...)
}

// InWords tells what a metric is, in sentences of a language: its description,
// how it is computed, over which time, and what has to be known of it.
func (l *Layer) InWords(id string, in lang.Language) (string, error) {
	m, ok := l.Metric(id)
	if !ok {
		return "", fmt.Errorf("there is no metric %q", id)
	}
	words, err := loadSentences()
	if err != nil {
		return "", err
	}
	t := teller{layer: l, words: words, in: in}
	t.add(in.Pick(m.Description.EN, m.Description.ZH))
	t.computed(m)
	t.dated(m)
	t.rest(m)
	return strings.Join(t.out, in.Pick(" ", "")), nil
}

type teller struct {
	layer *Layer
	words sentences
	in    lang.Language
	out   []string
}

func (t *teller) add(sentence string) {
	if sentence != "" {
		t.out = append(t.out, sentence)
	}
}

func (t *teller) say(key string, args ...any) { t.add(t.words.say(t.in, key, args...)) }

// name is what people call a metric.
func (t *teller) name(id string) string {
	m, ok := t.layer.Metric(id)
	if !ok {
		return id
	}
	return NameIn(m.Names, t.in)
}

// NameIn is a text in a language, else in the other one.
func NameIn(t Text, in lang.Language) string {
	if s := in.Pick(t.EN, t.ZH); s != "" {
		return s
	}
	return in.Pick(t.ZH, t.EN)
}

func (t *teller) computed(m *Metric) {
	switch m.Kind() {
	case DistinctCount:
		t.say("distinct_count", m.Distinct, m.Table)
	case Ratio:
		t.say("ratio", t.name(m.Numerator), t.name(m.Denominator))
	case Derived:
		t.say("derived", m.Expr)
	case Cumulative:
		switch {
		case m.Window != nil:
			t.say("window", t.name(m.Of), m.Window.Count, t.words.say(t.in, "unit_"+m.Window.Unit))
		case m.ToDate != "":
			t.say("to_date", t.name(m.Of), t.words.say(t.in, "one_"+m.ToDate))
		default:
			t.say("cumulative", t.name(m.Of))
		}
	default:
		t.say("simple", m.Expr, m.Table)
	}
}

func (t *teller) dated(m *Metric) {
	switch {
	case m.Composed():
	case m.Time == "":
		t.say("no_time")
	case m.Grain == "" || m.Grain == "none":
		t.say("time_only", m.timeName())
	default:
		t.say("time", m.timeName(), t.words.say(t.in, "one_"+m.Grain))
	}
}

func (t *teller) rest(m *Metric) {
	if len(m.DefaultFilters) > 0 {
		t.say("filters", strings.Join(m.DefaultFilters, t.in.Pick(" and ", " 且 ")))
	}
	if m.Additivity == SemiAdditive && m.Time != "" {
		t.say("semi_additive")
	}
	if m.OverTime != "" {
		t.say("over_time_" + string(m.OverTime))
	}
	switch {
	case slices.Contains(m.Comparisons, CompareNone):
		t.say("no_comparison")
	case len(m.Comparisons) > 0:
		list := make([]string, len(m.Comparisons))
		for i, c := range m.Comparisons {
			list[i] = string(c)
		}
		t.say("comparisons", strings.Join(list, ", "))
	}
	if m.Unit != "" {
		t.say("unit", m.Unit)
	}
	if m.Better != "" {
		t.say("better_" + string(m.Better))
	}
}
