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
	Full                // Markdown: overview, tables with the reasons for each, notes
	Expert              // with joins, lineage, keys, rows and owners
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
	// Downstream are the tables that are made from those, as far as the asker may see.
	Downstream map[catalog.Name][]catalog.Name
	Fallback   string // what is said of tables of which none answers; empty: they do
	Now        time.Time
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
	text := w.short(s) + "\n\n## " + w.Say(l, "head_tables") + "\n\n" + row(w.Say(l, "col_table"), w.Say(l, "col_holds"), w.Say(l, "col_why")) + row("---", "---", "---")
	left := w.cfg.MaxSummaryTokens - tokens(text)
	shown, room := 0, left
	if s.Level == Expert {
		room = left / 2 // the rest is for what experts want beside the tables
	}
	for _, t := range s.Tables {
		line := row("`"+t.Table.Name.String()+"`", About(t.Table, l), strings.Join(t.Reasons, l.Pick("; ", "；")))
		if room -= tokens(line); room < 0 {
			break
		}
		text += line
		left -= tokens(line)
		shown++
	}
	if more := len(s.Tables) - shown; more > 0 {
		line := "\n" + w.Say(l, "more_tables", "n", count(int64(more))) + "\n"
		text += line
		left -= tokens(line)
	}
	parts := []part{{"head_notes", w.notes(s)}}
	if s.Level == Expert {
		tables := s.Tables[:shown]
		parts = []part{{"head_joins", w.joins(l, tables)}, {"head_lineage", w.lineage(s, tables)}, {"head_details", w.details(l, tables)}, parts[0]}
	}
	for _, p := range parts {
		if head := "\n## " + w.Say(l, p.head) + "\n\n"; len(p.lines) > 0 && tokens(head+p.lines[0]) <= left {
			room := left // each part leaves half of what is there to those after it
			if p.head != "head_notes" {
				room = left / 2
			}
			more, rest := within(p.lines, room-tokens(head))
			left -= room - rest
			text += head + more
		}
	}
	return strings.TrimRight(text, "\n")
}

// part is a heading of a summary with its lines.
type part struct {
	head  string
	lines []string
}

// within joins the first lines that take no more than left tokens, and says how many
// tokens are left then.
func within(lines []string, left int) (text string, rest int) {
	for _, line := range lines {
		n := tokens(line)
		if n > left {
			break
		}
		text += line
		left -= n
	}
	return text, left
}

// row is a row of a Markdown table.
func row(cells ...string) string {
	for i, c := range cells {
		cells[i] = cellEscapes.Replace(lang.OneLine(c)) // on one line nothing in a text begins a row or a heading of its own
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

var cellEscapes = strings.NewReplacer("|", `\|`)

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
	if s.Fallback != "" {
		text = s.Fallback + l.Pick(" ", "") + text
	}
	if n := len(s.Tables) - 1; n > 0 && s.Fallback == "" { // two sentences at most
		var names []string
		for _, t := range s.Tables[1:min(len(s.Tables), 3)] {
			names = append(names, "`"+t.Table.Name.String()+"`")
		}
		text += l.Pick(" ", "") + w.Say(l, "short_more", "tables", strings.Join(names, l.Pick(", ", "、")))
	}
	return text
}

// joins are the ways from the tables to others: declared keys, and what people joined by,
// where no key says the same.
func (w *Writer) joins(l lang.Language, tables []Shown) (lines []string) {
	for _, t := range tables {
		told := make(map[string]bool)
		say := func(key string, columns []string, to catalog.Name, refs []string, kv ...string) {
			on := make([]string, 0, len(columns))
			for i := range min(len(columns), len(refs)) {
				on = append(on, columns[i]+" = "+refs[i])
			}
			join := w.Say(l, "join", "from", "`"+t.Table.Name.String()+"`", "to", "`"+to.String()+"`", "on", strings.Join(on, ", "))
			if len(on) > 0 && !told[join] {
				told[join] = true
				lines = append(lines, "- "+join+w.Say(l, key, kv...)+"\n")
			}
		}
		for _, k := range t.Table.ForeignKeys {
			say("by_key", k.Columns, k.RefTable, k.RefColumns)
		}
		if t.Table.Usage != nil {
			for _, j := range t.Table.Usage.Joins {
				say("by_use", j.Columns, j.Table, j.RefColumns, "n", count(j.Queries))
			}
		}
	}
	return lines
}

// lineage says what the tables are made from and what is made from them, one step each
// way, and what replaces them.
func (w *Writer) lineage(s Summary, tables []Shown) (lines []string) {
	l := s.Language
	say := func(key string, t *catalog.Table, names ...string) {
		if len(names) > 0 {
			more := ""
			if n := len(names) - maxLineage; n > 0 {
				names, more = names[:maxLineage], " "+w.Say(l, "inventory_more", "n", count(int64(n)))
			}
			lines = append(lines, "- "+w.Say(l, key, "table", "`"+t.Name.String()+"`", "tables", "`"+strings.Join(names, l.Pick("`, `", "`、`"))+"`")+more+"\n")
		}
	}
	for _, t := range tables {
		say("made_from", t.Table, Names(t.Table.Upstream)...)
		say("goes_into", t.Table, Names(s.Downstream[t.Table.Name])...)
		if t.Table.Successor != "" {
			say("replaced_by", t.Table, t.Table.Successor)
		}
	}
	return lines
}

// maxLineage bounds the tables told of one in a line of its lineage.
const maxLineage = 8

// Names are names of tables as they are written.
func Names(names []catalog.Name) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		out = append(out, n.String())
	}
	return out
}

// details are the facts of the tables, a line each.
func (w *Writer) details(l lang.Language, tables []Shown) (lines []string) {
	for _, t := range tables {
		if facts := w.facts(l, t.Table, nil); len(facts) > 0 {
			lines = append(lines, "- `"+t.Table.Name.String()+"`"+l.Pick(": ", "：")+strings.Join(facts, l.Pick("; ", "；"))+"\n")
		}
	}
	return lines
}

// facts are grain, key, joins as they are given, rows and owner of a table, as far as they
// are known.
func (w *Writer) facts(l lang.Language, t *catalog.Table, joins []string) (facts []string) {
	say := func(key string, kv ...string) { facts = append(facts, w.Say(l, key, kv...)) }
	if t.Grain != "" {
		say("row", "grain", lang.OneLine(t.Grain)) // on one line nothing in a text begins a heading or a list of its own
	}
	if key := t.PrimaryKey(); len(key) > 0 {
		say("key", "columns", strings.Join(key, ", "))
	}
	facts = append(facts, joins...)
	if t.RowCount >= 0 {
		say("rows", "n", count(t.RowCount))
	}
	if t.Owner != "" {
		say("owned", "owner", lang.OneLine(t.Owner))
	}
	return facts
}

func (w *Writer) notes(s Summary) (lines []string) {
	l := s.Language
	for _, t := range s.Terms {
		lines = append(lines, "- **"+lang.OneLine(t.Term)+"**"+l.Pick(": ", "：")+lang.OneLine(InLanguage(t.Definition, l))+"\n")
	}
	for _, r := range s.Rules {
		lines = append(lines, "- "+lang.OneLine(InLanguage(r.Text, l))+"\n")
	}
	for _, t := range s.Tables {
		if w.Late(t.Table, s.Now) {
			lines = append(lines, "- "+w.Say(l, "late", "table", t.Table.Name.String(), "ago", w.Ago(l, s.Now.Sub(t.Table.UpdatedAt)))+"\n")
		}
	}
	return lines
}
