package logify

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/pkg/result"
)

// valueColumn is the name of the numbers in a table of a metric.
const valueColumn = "value"

// tableOf writes the numbers of a metric as a table: a column a label, then the value,
// the highest first. It has no columns for a single number without labels.
func tableOf(points []logql.Point) result.Table {
	var names []string
	for _, p := range points {
		for name := range p.Labels {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return result.Table{}
	}
	slices.Sort(names)
	var t result.Table
	for _, name := range names {
		t.Columns = append(t.Columns, result.Column{Name: name, Type: "varchar"})
	}
	t.Columns = append(t.Columns, result.Column{Name: valueColumn, Type: "double"})
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b logql.Point) int {
		switch {
		case a.Value > b.Value:
			return -1
		case a.Value < b.Value:
			return 1
		}
		return 0
	})
	for _, p := range sorted {
		row := make([]any, 0, len(t.Columns))
		for _, name := range names {
			row = append(row, strings.ToValidUTF8(p.Labels[name], "�"))
		}
		t.Rows = append(t.Rows, append(row, p.Value))
	}
	return t
}
