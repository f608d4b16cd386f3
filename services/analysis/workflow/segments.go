package workflow

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/statistics"
)

const (
	// segmentSeed makes the same rows have the same segments every time.
	segmentSeed = 1
	// told is how many deviations a segment's mean is away from that of all for its name to say so.
	told = .5
	// maxNamed bounds the figures of a segment's name.
	maxNamed = 3
	// maxMembers bounds the rows that are kept with their segments, and drawn.
	maxMembers = 500
)

// figureColumns are the columns of figures of a table: numbers that are no identifiers.
func figureColumns(t Table) []int {
	var out []int
	for i, c := range t.Columns {
		if (result.Column{Type: c.Type}).Kind().Numeric() && !c.Identifies() {
			out = append(out, i)
		}
	}
	return out
}

// number is a cell as a figure; false where there is none.
func number(t Table, row []any, column int) (float64, bool) {
	if row[column] == nil {
		return 0, false
	}
	n, ok := result.NumberOf(row[column], result.Column{Type: t.Columns[column].Type})
	v := n.Float64()
	return v, ok && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// called is how people call a column.
func (c Column) called() string { return cmp.Or(c.Label, c.Name) }

// complete are the rows of a table that have all of some figures, and those figures.
func complete(t Table, columns []int) (rows [][]any, figures [][]float64) {
	for _, row := range t.Rows {
		values := make([]float64, 0, len(columns))
		for _, c := range columns {
			if v, ok := number(t, row, c); ok {
				values = append(values, v)
			}
		}
		if len(values) == len(columns) {
			rows, figures = append(rows, row), append(figures, values)
		}
	}
	return rows, figures
}

// segments divides the rows of its input into those that are alike.
func (w *Workflow) segments(ctx context.Context, s *State, step plan.Step) (*Result, error) {
	t, err := w.table(ctx, s, step.Inputs[0])
	if err != nil {
		return nil, err
	}
	columns := figureColumns(t)
	if len(columns) == 0 {
		return nil, w.cannot(s, "no_figures", "step", step.Inputs[0])
	}
	columns = columns[:min(len(columns), statistics.MaxFeatures)]
	rows, figures := complete(t, columns)
	found, err := statistics.Segment(figures, rand.New(rand.NewPCG(segmentSeed, segmentSeed))) //nolint:gosec // the same every time
	if err != nil {
		return nil, w.explained(s, err)
	}
	column := func(name, typ string) Column { return Column{Name: name, Type: typ, Label: w.say(s, "column_"+name)} }
	division := Table{Name: TableDivision, Columns: []Column{
		column("rows", "bigint"), column("left_out", "bigint"), column("segments", "bigint"), column("silhouette", "double"), column("chance", "double"),
	}, Rows: [][]any{{int64(len(rows)), int64(len(t.Rows) - len(rows)), int64(found.Count), settled(found.Silhouette), settled(max(found.Chance, 0))}}}
	out := &Result{}
	if left := len(t.Rows) - len(rows); left > 0 {
		out.Warnings = append(out.Warnings, Warning{Code: "ROWS_LEFT_OUT", Text: w.say(s, "rows_left_out")})
	}
	if found.Count == 0 {
		out.Tables = []Table{division}
		return out, nil
	}
	names := w.segmentNames(s, t, columns, found)
	share := column("share", "double")
	share.Unit = "%"
	means := Table{Name: TableSegments, Columns: []Column{column("segment", "varchar"), column("members", "bigint"), share}}
	for _, c := range columns {
		of := t.Columns[c]
		means.Columns = append(means.Columns, Column{Name: "mean_" + of.Name, Type: "double", Unit: of.Unit, Label: w.say(s, "column_mean", "figure", of.called())})
	}
	members := Table{Name: TableMembers, Columns: append(slices.Clone(t.Columns), column("segment", "varchar")), Total: int64(len(rows))}
	for n, name := range names {
		count, sums := 0, make([]float64, len(columns))
		for i, of := range found.Of {
			if of != n {
				continue
			}
			count++
			for j, v := range figures[i] {
				sums[j] += v
			}
		}
		cells := []any{name, int64(count), float64(count) / float64(len(rows))}
		for _, sum := range sums {
			cells = append(cells, settled(sum/float64(count)))
		}
		means.Rows = append(means.Rows, cells)
	}
	for i, row := range rows[:min(len(rows), maxMembers)] {
		members.Rows = append(members.Rows, append(slices.Clone(row), names[found.Of[i]]))
	}
	out.Tables = []Table{means, members, division}
	out.Chart = w.scatter(s, t, columns, figures, found, names)
	return out, nil
}

// segmentNames say what each segment has more and less of than all rows, most telling
// first. No two have the same name.
func (w *Workflow) segmentNames(s *State, t Table, columns []int, found statistics.Segments) []string {
	names := make([]string, found.Count)
	for n, scores := range found.Scores {
		order := make([]int, len(scores))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(scores[b]), math.Abs(scores[a])) })
		var parts []string
		for place, at := range order {
			name := strings.Join(parts, w.say(s, "segment_and"))
			if place > 0 && name != "" && (place >= maxNamed || math.Abs(scores[at]) < told) && !slices.Contains(names, name) {
				break
			}
			key := "segment_middle"
			switch {
			case scores[at] >= told:
				key = "segment_high"
			case scores[at] <= -told:
				key = "segment_low"
			}
			parts = append(parts, w.say(s, key, "figure", t.Columns[columns[at]].called()))
		}
		name := strings.Join(parts, w.say(s, "segment_and"))
		for again := 'B'; slices.Contains(names, name); again++ {
			name = strings.Join(parts, w.say(s, "segment_and")) + " " + string(again)
		}
		names[n] = name
	}
	return names
}

// scatter draws the rows by the two figures in which the segments differ most.
func (w *Workflow) scatter(s *State, t Table, columns []int, figures [][]float64, found statistics.Segments, names []string) Chart {
	if len(columns) < 2 {
		return Chart{}
	}
	spread := make([]float64, len(columns))
	order := make([]int, len(columns))
	for j := range columns {
		order[j] = j
		for _, scores := range found.Scores {
			spread[j] += scores[j] * scores[j]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(spread[b], spread[a]) })
	x, y := min(order[0], order[1]), max(order[0], order[1])
	axis := func(c Column) chart.Axis {
		if c.Unit != "" {
			return chart.Axis{Name: c.called() + " (" + c.Unit + ")"}
		}
		return chart.Axis{Name: c.called()}
	}
	spec := chart.Spec{
		Kind: chart.Scatter, X: axis(t.Columns[columns[x]]), Y: axis(t.Columns[columns[y]]),
		Title: w.say(s, "segment_chart", "x", t.Columns[columns[x]].called(), "y", t.Columns[columns[y]].called()),
	}
	for _, name := range names {
		spec.Series = append(spec.Series, chart.Series{Name: name})
	}
	for i, of := range found.Of[:min(len(found.Of), maxMembers)] {
		spec.Series[of].Points = append(spec.Series[of].Points, chart.Point{X: figures[i][x], Y: figures[i][y]})
	}
	return Chart{Kind: scatterKind, Title: spec.Title, Option: spec.Option()}
}

// scatterKind is that of the contract.
const scatterKind = 5
