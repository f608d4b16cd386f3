package llm

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
)

// text shortens a text of the catalog or of a person and puts it on one line.
func (a *Advisor) text(s string) string {
	return lang.Shorten(strings.Join(strings.Fields(s), " "), a.cfg.MaxTextRunes)
}

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

func (a *Advisor) terms(terms []catalog.Term) string {
	var lines []string
	for _, t := range terms {
		line := "- " + t.Term
		if len(t.Synonyms) > 0 {
			line += " (" + strings.Join(t.Synonyms, ", ") + ")"
		}
		lines = append(lines, line+": "+a.text(t.Definition))
	}
	return strings.Join(lines, "\n")
}

func (a *Advisor) rules(rules []catalog.Rule) string {
	var lines []string
	for _, r := range rules {
		lines = append(lines, "- "+a.text(r.Text))
	}
	return strings.Join(lines, "\n")
}

// entry is a table on one line: its name and what it is about.
func (a *Advisor) entry(t *catalog.Table) string {
	line := "- " + t.Name.String()
	if about := a.text(t.Description); about != "" {
		line += ": " + about
	}
	if t.Successor != "" {
		line += " (deprecated: use " + t.Successor + ")"
	}
	return line
}

// detail is a table with all that is known of it but stored values.
func (a *Advisor) detail(t *catalog.Table) string {
	var b strings.Builder
	b.WriteString(a.entry(t) + "\n")
	fact := func(name, value string) {
		if value != "" {
			b.WriteString("  " + name + ": " + value + "\n")
		}
	}
	fact("mart", t.Mart)
	fact("layer", t.Layer)
	fact("one row", a.text(t.Grain))
	fact("key", strings.Join(t.PrimaryKey(), ", "))
	fact("partitioned by", strings.Join(t.PartitionColumns(), ", "))
	if !t.UpdatedAt.IsZero() {
		fact("refreshed", t.UpdatedAt.UTC().Format("2006-01-02 15:04 UTC"))
	}
	fact("owner", t.Owner)
	for _, k := range t.ForeignKeys {
		fact("joins", strings.Join(k.Columns, ", ")+" = "+k.RefTable.String()+" ("+strings.Join(k.RefColumns, ", ")+")")
	}
	b.WriteString("  columns:\n")
	for _, c := range t.Columns[:min(len(t.Columns), a.cfg.MaxColumns)] {
		b.WriteString("    " + c.Name + " " + c.Type)
		if comment := a.text(c.Comment); comment != "" {
			b.WriteString(": " + comment)
		}
		b.WriteString("\n")
	}
	if len(t.Columns) > a.cfg.MaxColumns {
		b.WriteString("    …\n")
	}
	return b.String()
}

func (a *Advisor) details(tables []*catalog.Table) string {
	var b strings.Builder
	for _, t := range tables[:min(len(tables), a.cfg.MaxDetails)] {
		b.WriteString(a.detail(t))
	}
	return b.String()
}
