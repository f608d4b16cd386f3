package findata

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/findata/answer"
)

// maxInventory bounds the marts or tables that are told of a source.
const maxInventory = 20

// inventory tells what of a source the asker sees: its marts, or its tables, the most
// used first, where it has none.
func (w *search) inventory() string {
	head := "inventory_marts"
	var lines []string
	marts, count := w.desk.marts()
	for _, m := range marts[:min(len(marts), maxInventory)] {
		lines = append(lines, w.say("inventory_mart", "mart", m.Name, "n", fmt.Sprint(count[m.Name]), "about", answer.InLanguage(m.Description, w.question.Language)))
	}
	all := len(marts)
	if all == 0 {
		head, all = "inventory_tables", len(w.desk.tables)
		lines = w.tableLines()
	}
	if left := all - len(lines); left > 0 {
		lines = append(lines, w.say("inventory_more", "n", fmt.Sprint(left)))
	}
	return w.say(head, "source", w.desk.source) + "\n" + strings.Join(lines, "\n")
}

// tableLines are the asker's most used tables, a line each.
func (w *search) tableLines() []string {
	tables := slices.Clone(w.desk.tables)
	slices.SortStableFunc(tables, func(a, b *catalog.Table) int { return cmp.Compare(b.QueryCount30d, a.QueryCount30d) })
	tables = tables[:min(len(tables), maxInventory)]
	lines := make([]string, 0, len(tables))
	for _, t := range tables {
		clean := w.desk.table(t)
		line := "- `" + clean.Name.String() + "`"
		if about := answer.About(&clean, w.question.Language); about != "" {
			line += ": " + about
		}
		lines = append(lines, line)
	}
	return lines
}
