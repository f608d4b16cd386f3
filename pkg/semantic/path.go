package semantic

import "slices"

// Path returns the joins that lead from a table to another, each to at most one row,
// so that no number is counted twice along it. It is the shortest one, by way of via
// where that is not empty: a table, or a join by its role. ok is false where there is
// none, or where two equally short ones lead there, over different tables or over
// different columns of one: which of them is meant, only via can say (the country of a
// customer, or of a store; the home team, or the away team).
func (l *Layer) Path(from, to, via string) (path []Join, ok bool) {
	if joins := l.roleJoins(via); len(joins) > 0 {
		return l.pathByRole(from, to, joins)
	}
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
			for _, j := range l.onward(table) {
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

// pathByRole is the shortest path over one of some joins.
func (l *Layer) pathByRole(from, to string, joins []Join) (path []Join, ok bool) {
	several := false
	for _, j := range joins {
		if j = forward(j); j.From == "" {
			continue
		}
		first, okFirst := l.Path(from, j.From, "")
		rest, okRest := l.Path(j.To, to, "")
		if !okFirst || !okRest {
			continue
		}
		whole := append(append(slices.Clone(first), j), rest...)
		switch {
		case path == nil || len(whole) < len(path):
			path, several = whole, false
		case len(whole) == len(path):
			several = true
		}
	}
	return path, path != nil && !several
}

// forward is a join in the direction that finds at most one row; without tables where
// neither does.
func forward(j Join) Join {
	switch j.Cardinality {
	case "", ManyToOne, OneToOne:
		return j
	case OneToMany:
		j.From, j.Columns, j.To, j.ToColumns, j.Cardinality = j.To, j.ToColumns, j.From, j.Columns, ManyToOne
		return j
	}
	return Join{}
}

// onward are the joins from a table that find at most one row each, in either
// direction of their writing; one that is written in both is there once.
func (l *Layer) onward(table string) (out []Join) {
	for _, j := range l.Joins {
		other := j.To
		if other == table {
			other = j.From
		}
		if slices.ContainsFunc(out, func(o Join) bool {
			return o.To == other && (slices.Equal(o.Columns, j.Columns) && slices.Equal(o.ToColumns, j.ToColumns) || slices.Equal(o.Columns, j.ToColumns) && slices.Equal(o.ToColumns, j.Columns))
		}) {
			continue
		}
		switch {
		case j.From == table && (j.Cardinality == "" || j.Cardinality == ManyToOne || j.Cardinality == OneToOne):
			out = append(out, j)
		case j.To == table && (j.Cardinality == OneToMany || j.Cardinality == OneToOne):
			j.From, j.Columns, j.To, j.ToColumns, j.Cardinality = j.To, j.ToColumns, j.From, j.Columns, ManyToOne
			out = append(out, j)
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
