package logify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/result/resultpb"
)

// Names of the columns that are no labels. A label of such a name makes them longer.
const (
	timeColumn  = "time"
	valueColumn = "value"
)

// tableOf writes the numbers of a metric as a table: a column a label, then the value,
// the highest first. Numbers over time have their time in the first column, in UTC, and
// are in its order. There are no columns for a single number without labels.
func tableOf(points []logql.Point, overTime bool) result.Table {
	var names []string
	for _, p := range points {
		for name := range p.Labels {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(points) == 0 || len(names) == 0 && !overTime {
		return result.Table{}
	}
	slices.Sort(names)
	free := func(name string) string {
		for slices.Contains(names, name) {
			name += "_"
		}
		return name
	}
	var t result.Table
	if overTime {
		t.Columns = append(t.Columns, result.Column{Name: free(timeColumn), Type: "timestamp"})
	}
	for _, name := range names {
		t.Columns = append(t.Columns, result.Column{Name: name, Type: "varchar"})
	}
	t.Columns = append(t.Columns, result.Column{Name: free(valueColumn), Type: "double"})
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b logql.Point) int {
		if overTime {
			return a.Time.Compare(b.Time)
		}
		return cmp.Compare(b.Value, a.Value)
	})
	for _, p := range sorted {
		row := make([]any, 0, len(t.Columns))
		if overTime {
			row = append(row, p.Time.UTC().Format(time.DateTime))
		}
		for _, name := range names {
			row = append(row, strings.ToValidUTF8(p.Labels[name], "�"))
		}
		t.Rows = append(t.Rows, append(row, p.Value))
	}
	return t
}

// pageOf is the table of a metric as the contract has it; nil where there is none.
func pageOf(points []logql.Point, overTime bool) (*commonv1.ResultPage, error) {
	t := tableOf(points, overTime)
	if len(t.Columns) == 0 {
		return nil, nil //nolint:nilnil // a single number needs no table
	}
	page, err := resultpb.ToPage(t)
	if err != nil {
		return nil, fmt.Errorf("write the numbers as a table: %w", err)
	}
	return page, nil
}
