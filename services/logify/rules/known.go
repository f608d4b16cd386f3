package rules

import (
	"math"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/services/logify/drain"
)

// Label is a label with its known values.
type Label struct {
	Name   string
	Values []string
}

// Known is what is known of the logs that a person may see: labels, streams, and the
// templates of their lines. It does not change once it is made.
type Known struct {
	Labels []Label
	// Series are the label sets of the known streams.
	Series    []map[string]string
	templates []*template
	// weight is how telling a stem is: rare among the templates.
	weight map[string]float64
}

// template is a drain.Template with what questions are compared with.
type template struct {
	*drain.Template
	runs   []string
	stems  map[string]bool // of its constant words
	near   map[string]bool // of its values, and of the labels of its streams
	series []int           // in Known.Series
}

// MaxSeries bounds the streams that are known; further ones are left out.
const MaxSeries = 5000

// NewKnown learns from labels, which may be nil, and sample lines.
func NewKnown(labels []Label, samples []logql.Entry, c drain.Config) *Known {
	k := &Known{Labels: slices.Clone(labels), weight: map[string]float64{}}
	miner := drain.New(c)
	byKey := map[string]int{}
	values := map[string]map[string]bool{}
	for _, e := range samples {
		key := seriesKey(e.Labels)
		if _, known := byKey[key]; !known {
			if len(k.Series) >= MaxSeries {
				continue
			}
			byKey[key] = len(k.Series)
			k.Series = append(k.Series, e.Labels)
			for name, value := range e.Labels {
				if values[name] == nil {
					values[name] = map[string]bool{}
				}
				values[name][value] = true
			}
		}
		miner.Add(key, e.Line)
	}
	for _, name := range sortedKeys(values) {
		k.addValues(name, sortedKeys(values[name]))
	}
	for _, t := range miner.Templates() {
		k.learn(t, byKey)
	}
	for s, n := range k.weight {
		k.weight[s] = math.Log(1 + float64(len(k.templates))/n)
	}
	return k
}

func (k *Known) addValues(name string, values []string) {
	i := slices.IndexFunc(k.Labels, func(l Label) bool { return l.Name == name })
	if i < 0 {
		k.Labels = append(k.Labels, Label{Name: name, Values: values})
		return
	}
	merged := append(slices.Clone(k.Labels[i].Values), values...)
	slices.Sort(merged)
	k.Labels[i].Values = slices.Compact(merged)
}

func (k *Known) learn(t *drain.Template, byKey map[string]int) {
	own := &template{Template: t, runs: t.Runs(), stems: map[string]bool{}, near: map[string]bool{}}
	for _, run := range own.runs {
		for _, w := range wordsOf(run) {
			own.stems[stem(w)] = true
		}
	}
	for _, w := range t.Words {
		for _, v := range w.Values {
			for _, word := range wordsOf(v) {
				own.near[stem(word)] = true
			}
		}
	}
	for _, s := range t.Streams {
		own.series = append(own.series, byKey[s])
		for _, value := range k.Series[byKey[s]] {
			for _, word := range wordsOf(value) {
				own.near[stem(word)] = true
			}
		}
	}
	for s := range own.stems {
		delete(own.near, s)
		k.weight[s]++ // a count, for now
	}
	for s := range own.near {
		k.weight[s]++
	}
	k.templates = append(k.templates, own)
}

func seriesKey(labels map[string]string) string {
	var b strings.Builder
	for _, name := range sortedKeys(labels) {
		b.WriteString(name + "\x00" + labels[name] + "\x01")
	}
	return b.String()
}

// wordsOf cuts a text into words of letters, names in camel case also into their
// parts: "addStoredBlock" is addstoredblock, add, stored and block.
func wordsOf(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !isLetter(r) }) {
		out = append(out, strings.ToLower(w))
		var parts []string
		from := 0
		for i := 1; i < len(w); i++ {
			if isUpper(w[i]) && (!isUpper(w[i-1]) || i+1 < len(w) && !isUpper(w[i+1])) {
				parts = append(parts, strings.ToLower(w[from:i]))
				from = i
			}
		}
		if from > 0 {
			out = append(append(out, parts...), strings.ToLower(w[from:]))
		}
	}
	return out
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// picked returns the series that all matchers pass, by their numbers.
func (k *Known) picked(matchers []logql.Matcher) []int {
	var out []int
	selects, err := logql.Selects(matchers)
	for i, s := range k.Series {
		if err == nil && selects(s) {
			out = append(out, i)
		}
	}
	return out
}

// mostOffered bounds the values of a label that is asked for: more are no choice.
const mostOffered = 50

// topLabel is the label to ask for when a question names no stream: of those that the
// most streams have, the one that tells them apart best. Levels choose no stream.
func (k *Known) topLabel(levels []string) (Label, bool) {
	rank := func(l Label) int {
		n := 0
		for _, s := range k.Series {
			if s[l.Name] != "" {
				n++
			}
		}
		if len(l.Values) <= mostOffered {
			return n*(mostOffered+1) + len(l.Values)
		}
		return n * (mostOffered + 1)
	}
	best, found := -1, Label{}
	for _, l := range k.Labels {
		if r := rank(l); len(l.Values) > 0 && r > best && !slices.Contains(levels, strings.ToLower(l.Name)) {
			best, found = r, l
		}
	}
	return found, best >= 0
}

func (k *Known) isValue(text string) bool {
	return slices.ContainsFunc(k.Labels, func(l Label) bool {
		return slices.ContainsFunc(l.Values, func(v string) bool { return strings.EqualFold(v, text) })
	})
}
