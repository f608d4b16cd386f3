package llm

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/findata/answer"
)

// text shortens a text of the catalog or of a person and puts it on one line.
func (a *Advisor) text(s string) string { return shorten(s, a.cfg.MaxTextRunes) }

// about is a text of the catalog in one language: most are in two, and a model
// needs one.
func (a *Advisor) about(s string, l lang.Language) string { return a.text(answer.InLanguage(s, l)) }

func (a *Advisor) question(q Question) string {
	const longer = 4 // a question may be so many times as long as a description
	return lang.Shorten(q.Text, longer*a.cfg.MaxTextRunes)
}

func (a *Advisor) history(q Question) string {
	var lines []string
	for _, m := range q.History[max(0, len(q.History)-a.cfg.MaxHistory):] {
		lines = append(lines, "- "+a.text(m))
	}
	return strings.Join(lines, "\n")
}

// asker is what is known of who asks, with the day; empty where nothing is.
func (a *Advisor) asker(q Question) string {
	if len(q.Person) == 0 {
		return ""
	}
	lines := make([]string, 0, len(q.Person)+1)
	for _, fact := range q.Person {
		lines = append(lines, "- "+a.text(fact))
	}
	if q.Today != "" {
		lines = append(lines, "- today: "+q.Today)
	}
	return strings.Join(lines, "\n")
}

func (a *Advisor) terms(terms []catalog.Term, l lang.Language) string {
	var lines []string
	for _, t := range terms {
		line := "- " + t.Term
		if len(t.Synonyms) > 0 {
			line += " (" + strings.Join(t.Synonyms, ", ") + ")"
		}
		lines = append(lines, line+": "+a.about(t.Definition, l))
	}
	return strings.Join(lines, "\n")
}

func (a *Advisor) rules(rules []catalog.Rule, l lang.Language) string {
	var lines []string
	for _, r := range rules {
		lines = append(lines, "- "+a.about(r.Text, l))
	}
	return strings.Join(lines, "\n")
}

// entry is a table on one line: its name and what it is about.
func (a *Advisor) entry(t *catalog.Table, l lang.Language) string {
	line := "- " + t.Name.String()
	if about := a.about(t.Description, l); about != "" {
		line += ": " + about
	}
	if t.Successor != "" {
		line += " (deprecated: use " + t.Successor + ")"
	}
	return line
}

// facts are what is known of a table beside its columns, a line each.
func (a *Advisor) facts(t *catalog.Table, l lang.Language) string {
	var b strings.Builder
	fact := func(name, value string) {
		if value != "" {
			b.WriteString("  " + name + ": " + value + "\n")
		}
	}
	fact("mart", t.Mart)
	fact("layer", t.Layer)
	fact("one row", a.about(t.Grain, l))
	fact("key", strings.Join(t.PrimaryKey(), ", "))
	fact("partitioned by", strings.Join(t.PartitionColumns(), ", "))
	if !t.UpdatedAt.IsZero() {
		fact("refreshed", t.UpdatedAt.UTC().Format("2006-01-02 15:04 UTC"))
	}
	fact("owner", t.Owner)
	for _, k := range t.ForeignKeys {
		fact("joins", strings.Join(k.Columns, ", ")+" = "+k.RefTable.String()+" ("+strings.Join(k.RefColumns, ", ")+")")
	}
	return b.String()
}

// detail is a table with all that is known of it but stored values.
func (a *Advisor) detail(t *catalog.Table, l lang.Language) string {
	var b strings.Builder
	b.WriteString(a.entry(t, l) + "\n" + a.facts(t, l) + "  columns:\n")
	for _, c := range t.Columns[:min(len(t.Columns), a.cfg.MaxColumns)] {
		b.WriteString("    " + c.Name + " " + c.Type)
		if comment := a.about(c.Comment, l); comment != "" {
			b.WriteString(": " + comment)
		}
		b.WriteString("\n")
	}
	if len(t.Columns) > a.cfg.MaxColumns {
		b.WriteString("    …\n")
	}
	return b.String()
}

func (a *Advisor) details(tables []*catalog.Table, l lang.Language) string {
	var b strings.Builder
	for _, t := range tables[:min(len(tables), a.cfg.MaxDetails)] {
		b.WriteString(a.detail(t, l))
	}
	return b.String()
}
