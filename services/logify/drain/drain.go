// Package drain mines the templates of log lines: the words that the lines of one
// statement of a program have in common, with the places where they differ. It
// follows the idea of Drain (He, Zhu, Zheng and Lyu, "Drain: An Online Log Parsing
// Approach with Fixed Depth Tree", ICWS 2017): lines are grouped by how many words
// they have and how they begin, and within a group by how alike they are.
package drain

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Config bounds a miner. Zero values mean the defaults.
type Config struct {
	// Similar is the least share of equal words of lines of one template: 0.5.
	Similar float64
	// MaxTemplates bounds the templates; further lines that fit none are left out:
	// 2000.
	MaxTemplates int
	// MaxWords and MaxBytes bound what of a line is read: 80 and 4096.
	MaxWords, MaxBytes int
	// MaxValues bounds the values that are kept of a place: 5.
	MaxValues int
}

func (c Config) complete() Config {
	if c.Similar == 0 {
		c.Similar = 0.5
	}
	for _, d := range []struct {
		value     *int
		otherwise int
	}{{&c.MaxTemplates, 2000}, {&c.MaxWords, 80}, {&c.MaxBytes, 4096}, {&c.MaxValues, 5}} {
		if *d.value == 0 {
			*d.value = d.otherwise
		}
	}
	return c
}

// Word is a place of a template: Prefix, Text and Suffix where all lines agree; where
// Varies is set, Text is empty and Values are some of what stood there.
type Word struct {
	Prefix, Text, Suffix string
	Varies               bool
	Values               []string
}

// Template is the form of lines.
type Template struct {
	Words []Word
	// Example is a line as it was written.
	Example string
	// Count is the number of lines.
	Count int
	// Streams are the label sets of the streams that had such lines, each once, as
	// the caller named them.
	Streams []string
}

// Miner collects templates. It is not safe for concurrent use.
type Miner struct {
	config    Config
	groups    map[group][]*Template
	templates []*Template
}

// group keeps lines apart that cannot be of one template.
type group struct {
	words int
	first string
}

// New returns a miner.
func New(c Config) *Miner { return &Miner{config: c.complete(), groups: map[group][]*Template{}} }

// Templates returns what was found, in the order in which it was first seen.
func (m *Miner) Templates() []*Template { return m.templates }

// Add reads a line of a stream and returns its template, nil where there is none.
func (m *Miner) Add(stream, line string) *Template {
	if len(line) > m.config.MaxBytes {
		line = strings.ToValidUTF8(line[:m.config.MaxBytes], "")
	}
	words := cut(line, m.config.MaxWords)
	if len(words) == 0 {
		return nil
	}
	key := group{words: len(words)}
	if !words[0].Varies {
		key.first = words[0].Text
	}
	best, most := (*Template)(nil), 0.0
	for _, t := range m.groups[key] {
		if s := alike(t.Words, words); s > most {
			best, most = t, s
		}
	}
	if best == nil || most < m.config.Similar {
		if len(m.templates) >= m.config.MaxTemplates {
			return nil
		}
		best = &Template{Words: words, Example: line}
		m.groups[key] = append(m.groups[key], best)
		m.templates = append(m.templates, best)
	} else {
		m.merge(best, words)
	}
	best.Count++
	if !slices.Contains(best.Streams, stream) {
		best.Streams = append(best.Streams, stream)
	}
	return best
}

func alike(a, b []Word) float64 {
	same := 0
	constant := 0
	for i := range a {
		if a[i].Varies && b[i].Varies {
			continue
		}
		constant++
		if !a[i].Varies && !b[i].Varies && a[i].Text == b[i].Text {
			same++
		}
	}
	if constant == 0 {
		return 1
	}
	return float64(same) / float64(constant)
}

func (m *Miner) merge(t *Template, words []Word) {
	for i, w := range words {
		have := &t.Words[i]
		if !have.Varies && !w.Varies && have.Text == w.Text {
			continue
		}
		if have.Varies && !w.Varies && have.Prefix != "" {
			if rest, ok := strings.CutPrefix(w.Text, have.Prefix); ok && strings.HasSuffix(rest, have.Suffix) {
				w.Prefix, w.Suffix, w.Text = have.Prefix, have.Suffix, strings.TrimSuffix(rest, have.Suffix)
			}
		}
		if have.Prefix != w.Prefix || have.Suffix != w.Suffix {
			// What surrounds the place differs too: it becomes part of the value.
			*have = Word{Varies: true, Values: wholes(*have)}
			w = Word{Varies: true, Values: wholes(w)}
		}
		if !have.Varies && !w.Varies {
			splitName(have, &w)
		}
		if !have.Varies {
			have.Values, have.Text, have.Varies = []string{have.Text}, "", true
		}
		values := w.Values
		if !w.Varies {
			values = []string{w.Text}
		}
		for _, v := range values {
			if len(have.Values) < m.config.MaxValues && !slices.Contains(have.Values, v) {
				have.Values = append(have.Values, v)
			}
		}
	}
}

// splitName takes the name=, or another beginning that they share, out of two words
// that differ.
func splitName(a, b *Word) {
	name := keyOf(a.Text)
	if name != "" && name == keyOf(b.Text) && len(name) < len(a.Text) && len(name) < len(b.Text) {
		a.Prefix, a.Text = name, a.Text[len(name):]
		b.Prefix, b.Text = name, b.Text[len(name):]
	}
}

func wholes(w Word) []string {
	if !w.Varies {
		return []string{w.Prefix + w.Text + w.Suffix}
	}
	var out []string
	for _, v := range w.Values {
		out = append(out, w.Prefix+v+w.Suffix)
	}
	return out
}

var (
	// key cuts name=value and name:value, so that the name stays where the value varies.
	key = regexp.MustCompile(`^[("'\[<{]*(?:[A-Za-z_][\w.-]*=|[A-Za-z_][A-Za-z_-]*:)?["'(\[<{]*`)
	// tail is a word that is written to a value without a space: "10.0.0.7:50010:Failed".
	tail = regexp.MustCompile(`[:;,|]+[A-Za-z]{3,}$`)
)

// keyOf returns the name that a word begins with. The scheme of an address is none: it
// is of the value.
func keyOf(word string) string {
	name := key.FindString(word)
	if strings.HasSuffix(name, ":") && strings.HasPrefix(word[len(name):], "//") {
		return ""
	}
	return name
}

// cut reads the words of a line. A word with a digit varies: it is an id, a time, an
// amount.
func cut(line string, most int) []Word {
	fields := strings.Fields(line)
	if len(fields) > most {
		fields = fields[:most]
	}
	words := make([]Word, 0, len(fields))
	for _, f := range fields {
		core := strings.TrimRight(f, ".,;:!?)]}>\"'")
		if at := tail.FindStringIndex(core); at != nil && strings.ContainsFunc(core[:at[0]], unicode.IsDigit) {
			core = core[:at[0]]
		}
		suffix := f[len(core):]
		prefix := keyOf(core)
		core = core[len(prefix):]
		if !strings.ContainsFunc(core, unicode.IsDigit) {
			words = append(words, Word{Text: prefix + core + suffix})
			continue
		}
		words = append(words, Word{Prefix: prefix, Suffix: suffix, Varies: true, Values: []string{core}})
	}
	return words
}

// Runs returns the constant texts of a template between the places that vary, as
// they stand in the lines.
func (t *Template) Runs() []string {
	var runs []string
	run := ""
	flush := func() {
		// More than one space between words is lost by cutting: such a run is no
		// text of the line, but its words are.
		if run = strings.TrimSpace(run); run != "" {
			if strings.Contains(t.Example, run) {
				runs = append(runs, run)
			} else {
				runs = append(runs, strings.Fields(run)...)
			}
		}
		run = ""
	}
	for _, w := range t.Words {
		if run != "" {
			run += " "
		}
		if !w.Varies {
			run += w.Text
			continue
		}
		run += w.Prefix
		flush()
		run = w.Suffix
	}
	flush()
	return runs
}

// Text writes the template with <*> for what varies.
func (t *Template) Text() string {
	var b strings.Builder
	for i, w := range t.Words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w.Varies {
			b.WriteString(w.Prefix + "<*>" + w.Suffix)
		} else {
			b.WriteString(w.Text)
		}
	}
	return b.String()
}
