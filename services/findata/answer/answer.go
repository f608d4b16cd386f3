// Package answer writes what a person reads about tables: the reasons for each,
// the summary at the level asked for, and answers to questions about the data
// itself (what a table is, what a column means, grain, partition, freshness,
// owner). It knows only what it is given, so what the asker may not see cannot
// be in it. Sentences are data (messages.yaml), English and Chinese side by side.
package answer

import (
	_ "embed"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
)

//go:embed messages.yaml
var messagesFile []byte

//go:embed facets.yaml
var facetsFile []byte

// Config of a Writer.
type Config struct {
	// LateAfter is how old a table's data may be before it is called late.
	LateAfter time.Duration
	// MaxSummaryTokens bounds a full summary, as a model would count it, about.
	MaxSummaryTokens int
	// MaxColumns bounds the columns told of one table.
	MaxColumns int
}

// Writer writes answers. It may be used concurrently.
type Writer struct {
	cfg      Config
	messages map[string]message
	facets   map[string]map[string]message // by facet and value
}

type message struct {
	En string `yaml:"en"`
	Zh string `yaml:"zh"`
}

func (m message) in(l lang.Language) string { return l.Pick(m.En, m.Zh) }

// New returns a writer with the embedded sentences.
func New(cfg Config) (*Writer, error) {
	if cfg.MaxSummaryTokens == 0 {
		cfg.MaxSummaryTokens = 2000
	}
	if cfg.MaxColumns == 0 {
		cfg.MaxColumns = 40
	}
	w := &Writer{cfg: cfg}
	if err := yaml.Unmarshal(messagesFile, &w.messages); err != nil {
		return nil, fmt.Errorf("read the embedded sentences: %w", err)
	}
	if err := yaml.Unmarshal(facetsFile, &w.facets); err != nil {
		return nil, fmt.Errorf("read the embedded names of facets: %w", err)
	}
	for key, m := range w.messages {
		if m.En == "" || m.Zh == "" {
			return nil, fmt.Errorf("embedded sentence %q is not there in both languages", key)
		}
	}
	return w, nil
}

// Say returns a sentence with its {placeholders} filled; kv are pairs.
func (w *Writer) Say(l lang.Language, key string, kv ...string) string {
	m, ok := w.messages[key]
	if !ok {
		return key // a test looks every key up
	}
	return fill(m.in(l), kv)
}

// fill puts values in the place of the placeholders that they are given for.
func fill(text string, kv []string) string {
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(text, "{")
		name, after, closed := strings.Cut(rest, "}")
		if !open || !closed {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(before)
		at := 0
		for at+1 < len(kv) && kv[at] != name {
			at += 2
		}
		if at+1 < len(kv) {
			b.WriteString(kv[at+1])
			text = after
		} else {
			b.WriteString("{")
			text = rest
		}
	}
}

// Ago says how long ago a time is, in the largest unit that has at least two.
func (w *Writer) Ago(l lang.Language, d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return w.Say(l, "ago_now")
	case d < 2*time.Hour:
		return w.Say(l, "ago_minutes", "n", fmt.Sprint(int(d.Minutes())))
	case d < 48*time.Hour:
		return w.Say(l, "ago_hours", "n", fmt.Sprint(int(d.Hours())))
	}
	return w.Say(l, "ago_days", "n", fmt.Sprint(int(d.Hours()/24)))
}

// Late reports whether a table's data is older than it should be.
func (w *Writer) Late(t *catalog.Table, now time.Time) bool {
	return !t.UpdatedAt.IsZero() && now.Sub(t.UpdatedAt) > w.cfg.LateAfter
}

// count writes a whole number with separators.
func count(n int64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// InLanguage returns the part of a text in two languages that is in l: of lines,
// or of parts between " / ". Where none is, the whole text.
func InLanguage(text string, l lang.Language) string {
	for _, separator := range []string{"\n", " / "} {
		parts := strings.Split(text, separator)
		if len(parts) < 2 {
			continue
		}
		for _, part := range parts {
			if strings.TrimSpace(part) != "" && lang.Detect(part) == l {
				return strings.TrimSpace(part)
			}
		}
	}
	return strings.TrimSpace(text)
}

// firstSentence cuts a text after its first sentence.
func firstSentence(text string) string {
	for _, end := range []string{"。", ". ", "; ", "；"} {
		if i := strings.Index(text, end); i > 0 {
			text = text[:i]
		}
	}
	return strings.TrimSuffix(strings.TrimSpace(text), ".")
}
