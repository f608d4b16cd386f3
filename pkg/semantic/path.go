package semantic

import "slices"

// Path returns the joins that lead from a table to another, each to at most one row,
// so that no number is counted twice along it. It is the shortest one, by way of the
// table via where that is not empty. ok is false where there is none, or where two
// equally short ones lead over different tables: which of them is meant, only via can
// say (the country of a customer, or of a store).
func (l *Layer) Path(from, to, via string) (path []Join, ok bool) {
	if via != "" && via != to && via != from {
		first, okFirst := l.Path(from, via, "")
		second, okSecond := l.Path(via, to, "")
		return append(first, second...), okFirst && okSecond
	}
	if from == to {
		return nil, true
	}
	type reached struct {
		path []Join
		ways int // shortest ways by which the table is reached
	}
	at := map[string]*reached{from: {ways: 1}}
	for frontier := []string{from}; len(frontier) > 0 && at[to] == nil; {
		var next []string
		for _, table := range frontier {
			seen := map[string]bool{} // of two joins between two tables the first counts
			for _, j := range l.onward(table) {
				if seen[j.To] {
					continue
				}
				seen[j.To] = true
				known := at[j.To]
				switch {
				case known == nil:
					at[j.To] = &reached{path: append(slices.Clone(at[table].path), j), ways: at[table].ways}
					next = append(next, j.To)
				case slices.Contains(next, j.To): // as short as the way before
					known.ways += at[table].ways
				}
			}
		}
		frontier = next
	}
	end := at[to]
	if end == nil || end.ways != 1 {
		return nil, false
	}
	return end.path, true
}

// onward are the joins from a table that find at most one row each, in either
// direction of their writing.
func (l *Layer) onward(table string) (out []Join) {
	for _, j := range l.Joins {
		switch {
		case j.From == table && (j.Cardinality == "" || j.Cardinality == ManyToOne || j.Cardinality == OneToOne):
			out = append(out, j)
		case j.To == table && (j.Cardinality == OneToMany || j.Cardinality == OneToOne):
			out = append(out, Join{From: j.To, Columns: j.ToColumns, To: j.From, ToColumns: j.Columns, Cardinality: ManyToOne, Declared: j.Declared})
		}
	}
	return out
}

// TimeOf is the table that has the column of time of a metric.
func (m *Metric) TimeOf() string {
	if m.TimeTable != "" {
		return m.TimeTable
	}
	return m.Table
}

// timeName is the column of time as people are told it.
func (m *Metric) timeName() string {
	if m.TimeTable == "" {
		return m.Time
	}
	return m.TimeTable + "." + m.Time
}
