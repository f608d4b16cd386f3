package answer

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/findata/filter"
)

// Level is the length of a summary.
type Level int

// Levels.
const (
	Short  Level = iota // one or two sentences
	Full                // Markdown: overview, tables, notes
	Expert              // with joins, keys, partitions and freshness
)

// Shown is a chosen table with its reasons.
type Shown struct {
	filter.Chosen
	Reasons []string
	// Locked: the asker may know that the table is there, but not read it; ApplyHint
	// says where to ask for the right.
	Locked    bool
	ApplyHint string
}

// Summary is what Discover tells about the tables that it found.
type Summary struct {
	Language lang.Language
	Level    Level
	Tables   []Shown
	Terms    []catalog.Term
	Rules    []catalog.Rule
	Fallback bool // no mart fits: these are tables of the general layer
	Now      time.Time
}

// Summarize writes a summary.
func (w *Writer) Summarize(s Summary) string {
	if len(s.Tables) == 0 {
		return ""
	}
	l := s.Language
	if s.Level == Short {
		return w.short(s)
	}
	text := w.short(s) + "\n\n## " + w.Say(l, "head_tables") + "\n"
	left := w.cfg.MaxSummaryTokens - tokens(text)
	for _, t := range s.Tables {
		line := "- `" + t.Table.Name.String() + "`"
		if about := About(t.Table, l); about != "" {
			line += l.Pick(": ", "：") + about
		}
		line += l.Pick(". ", "。") + strings.Join(t.Reasons, l.Pick("; ", "；")) + "\n"
		if s.Level == Expert {
			line += w.expert(l, t.Table)
		}
		if left -= tokens(line); left < 0 {
			text += "- …\n"
			break
		}
		text += line
	}
	if notes := w.notes(s); notes != "" {
		notes = "\n## " + w.Say(l, "head_notes") + "\n" + notes
		if tokens(notes) <= left {
			text += notes
		}
	}
	return strings.TrimRight(text, "\n")
}

// tokens is about what a model counts a text for: a Chinese character is one, of
// other text four bytes are.
func tokens(text string) int {
	han, rest := 0, 0
	for _, r := range text {
		if unicode.Is(unicode.Han, r) {
			han++
		} else {
			rest += utf8.RuneLen(r)
		}
	}
	return han + (rest+3)/4
}

func (w *Writer) short(s Summary) string {
	l := s.Language
	best := s.Tables[0].Table
	text := w.Say(l, "short", "table", "`"+best.Name.String()+"`", "about", About(best, l))
	if best.Description == "" {
		text = w.Say(l, "short_bare", "table", "`"+best.Name.String()+"`")
	}
	if s.Fallback {
		text = w.Say(l, "fallback") + l.Pick(" ", "") + text
	}
	if n := len(s.Tables) - 1; n > 0 {
		var names []string
		for _, t := range s.Tables[1:min(len(s.Tables), 3)] {
			names = append(names, "`"+t.Table.Name.String()+"`")
		}
		text += l.Pick(" ", "") + w.Say(l, "short_more", "tables", strings.Join(names, l.Pick(", ", "、")))
	}
	return text
}

// expert adds grain, keys, joins and columns.
func (w *Writer) expert(l lang.Language, t *catalog.Table) string {
	var b strings.Builder
	line := func(key string, kv ...string) { b.WriteString("  - " + w.Say(l, key, kv...) + "\n") }
	if t.Grain != "" {
		line("row", "grain", lang.OneLine(t.Grain)) // on one line nothing in a text begins a heading or a list of its own
	}
	if key := t.PrimaryKey(); len(key) > 0 {
		line("key", "columns", strings.Join(key, ", "))
	}
	for _, k := range t.ForeignKeys {
		line("joins", "columns", strings.Join(k.Columns, ", "), "table", k.RefTable.String(), "ref", strings.Join(k.RefColumns, ", "))
	}
	if t.RowCount >= 0 {
		line("rows", "n", count(t.RowCount))
	}
	if t.Owner != "" {
		line("owned", "owner", t.Owner)
	}
	return b.String()
}

func (w *Writer) notes(s Summary) string {
	l := s.Language
	var b strings.Builder
	for _, t := range s.Terms {
		b.WriteString("- **" + t.Term + "**" + l.Pick(": ", "：") + lang.OneLine(InLanguage(t.Definition, l)) + "\n")
	}
	for _, r := range s.Rules {
		b.WriteString("- " + lang.OneLine(InLanguage(r.Text, l)) + "\n")
	}
	for _, t := range s.Tables {
		if w.Late(t.Table, s.Now) {
			b.WriteString("- " + w.Say(l, "late", "table", t.Table.Name.String(), "ago", w.Ago(l, s.Now.Sub(t.Table.UpdatedAt))) + "\n")
		}
	}
	return b.String()
}
