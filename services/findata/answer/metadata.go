package answer

import (
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/findata/preprocess"
)

// Subject is what a question about the data itself can be answered from.
type Subject struct {
	Question *preprocess.Question
	// Tables are those named, else those found, best first.
	Tables []*catalog.Table
	// Named says that the question named the first of them.
	Named bool
	Terms []catalog.Term
	Now   time.Time
}

// Answer answers a question about the data. ok is false where the catalog does
// not know; the text then says why. related are the tables that it rests on.
func (w *Writer) Answer(s Subject) (text string, related []*catalog.Table, ok bool) {
	l := s.Question.Language
	if text, related, ok = w.column(s); ok {
		return text, related, true
	}
	wantsTerm := s.Question.Intent == preprocess.IntentTerm || s.Question.Intent == preprocess.IntentColumn || s.Question.Intent == preprocess.IntentNone
	if len(s.Terms) > 0 && !s.Named && wantsTerm {
		return w.terms(l, s.Terms), s.Tables[:min(len(s.Tables), 3)], true
	}
	if len(s.Tables) == 0 {
		return w.Say(l, "dont_know"), nil, false
	}
	t := s.Tables[0]
	name := "`" + t.Name.String() + "`"
	unknown := func(what string) (string, []*catalog.Table, bool) {
		return w.Say(l, "not_told", "table", name, "what", w.Say(l, what)), s.Tables[:1], false
	}
	switch s.Question.Intent {
	case preprocess.IntentOwner:
		if t.Owner == "" {
			return unknown("what_owner")
		}
		text = w.Say(l, "is_owned", "table", name, "owner", t.Owner)
	case preprocess.IntentFreshness:
		if t.UpdatedAt.IsZero() {
			return unknown("what_freshness")
		}
		text = w.Say(l, "is_fresh", "table", name, "time", t.UpdatedAt.In(s.Now.Location()).Format("2006-01-02 15:04"), "ago", w.Ago(l, s.Now.Sub(t.UpdatedAt)))
	case preprocess.IntentPartition:
		p := t.PartitionColumns()
		if len(p) == 0 {
			return unknown("what_partition")
		}
		text = w.Say(l, "is_partitioned", "table", name, "columns", "`"+strings.Join(p, "`, `")+"`")
	case preprocess.IntentGrain:
		if t.Grain == "" {
			return unknown("what_grain")
		}
		text = w.Say(l, "is_grain", "table", name, "grain", t.Grain)
	case preprocess.IntentColumns:
		text = w.Say(l, "has_columns", "table", name) + "\n" + w.columnList(l, t)
	case preprocess.IntentWhichTable:
		return w.whichTable(l, s.Tables), s.Tables[:min(len(s.Tables), 3)], true
	default:
		text = w.describe(l, t, s.Now)
	}
	return text, s.Tables[:1], true
}

// column explains the column that the question names.
func (w *Writer) column(s Subject) (string, []*catalog.Table, bool) {
	if s.Question.Intent != preprocess.IntentColumn || s.Question.Subject == "" {
		return "", nil, false
	}
	l := s.Question.Language
	subject := s.Question.Subject
	if i := strings.LastIndexByte(subject, '.'); i >= 0 {
		subject = subject[i+1:]
	}
	var b strings.Builder
	var related []*catalog.Table
	told := make(map[string]bool)
	for _, t := range s.Tables {
		c, ok := t.Column(subject)
		if !ok {
			continue
		}
		comment := InLanguage(c.Comment, l)
		if told[comment] { // the same column of a variant
			continue
		}
		told[comment] = true
		related = append(related, t)
		if comment == "" {
			comment = w.Say(l, "no_comment")
		}
		b.WriteString("- " + w.Say(l, "column_is", "column", "`"+c.Name+"`", "type", c.Type, "table", "`"+t.Name.String()+"`", "meaning", comment) + "\n")
		if len(related) == 5 {
			break
		}
	}
	return strings.TrimRight(b.String(), "\n"), related, len(related) > 0
}

func (w *Writer) terms(l lang.Language, terms []catalog.Term) string {
	var b strings.Builder
	for _, t := range terms {
		b.WriteString("**" + t.Term + "**" + l.Pick(": ", "：") + InLanguage(t.Definition, l) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// describe tells what is known of a table.
func (w *Writer) describe(l lang.Language, t *catalog.Table, now time.Time) string {
	var b strings.Builder
	about := InLanguage(t.Description, l)
	if about == "" {
		about = w.Say(l, "no_description")
	}
	b.WriteString("`" + t.Name.String() + "`" + l.Pick(": ", "：") + about + "\n")
	var joins []string
	for _, k := range t.ForeignKeys {
		joins = append(joins, w.Say(l, "joins", "columns", strings.Join(k.Columns, ", "), "table", k.RefTable.String(), "ref", strings.Join(k.RefColumns, ", ")))
	}
	for _, fact := range w.facts(l, t, joins) {
		b.WriteString("  - " + fact + "\n")
	}
	if p := t.PartitionColumns(); len(p) > 0 {
		b.WriteString("  - " + w.Say(l, "partitioned", "columns", strings.Join(p, ", ")) + "\n")
	}
	if !t.UpdatedAt.IsZero() {
		b.WriteString("  - " + w.Say(l, "refreshed", "ago", w.Ago(l, now.Sub(t.UpdatedAt))) + "\n")
	}
	b.WriteString(w.columnList(l, t))
	return strings.TrimRight(b.String(), "\n")
}

func (w *Writer) columnList(l lang.Language, t *catalog.Table) string {
	var b strings.Builder
	for i, c := range t.Columns {
		if i == w.cfg.MaxColumns {
			b.WriteString("- " + w.Say(l, "more_columns", "n", count(int64(len(t.Columns)-i))) + "\n")
			break
		}
		line := "- `" + c.Name + "` " + c.Type
		if c.Comment != "" {
			line += l.Pick(": ", "：") + InLanguage(c.Comment, l)
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func (w *Writer) whichTable(l lang.Language, tables []*catalog.Table) string {
	var b strings.Builder
	b.WriteString(w.Say(l, "these_tables") + "\n")
	for _, t := range tables[:min(len(tables), 3)] {
		b.WriteString("- `" + t.Name.String() + "`")
		if about := About(t, l); about != "" {
			b.WriteString(l.Pick(": ", "：") + about)
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
