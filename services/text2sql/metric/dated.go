package metric

import (
	"cmp"
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// time settles by which date the metrics of a choice are: the one that the intent
// names, else that of the metrics, else the only one that their table has.
func (c *Choice) time(layer *semantic.Layer, in *intent.Intent) error {
	first := &c.Metrics[0]
	t := in.Time
	if t == nil {
		t = &intent.Time{}
	}
	if t.By != "" || first.Time == "" && (t.Grain != "" || t.From != "") {
		d, err := dateOf(layer, c.Table, t.By)
		if err != nil || d == nil {
			return err
		}
		for i := range c.Metrics {
			m := &c.Metrics[i]
			if m.Additivity == semantic.SemiAdditive { // a level is that of its own day
				return &Problem{Code: "NO_DIMENSION", What: []string{d.ID}}
			}
			m.Time, m.TimeTable, m.Grain = d.Column(), d.Table, cmp.Or(d.Grain, "day")
		}
		c.By = d.ID
		return c.joinTime(layer, d.Via)
	}
	if slices.ContainsFunc(c.Metrics, func(m semantic.Metric) bool { return m.Time != first.Time || m.TimeOf() != first.TimeOf() }) {
		return &Problem{Code: "NO_TABLE", What: []string{in.Select[0].ID}} // each by its own date
	}
	return c.joinTime(layer, "")
}

// overTime reports whether a value is a mean or a window over steps of time.
func overTime(o intent.Output) bool {
	return o.Agg == intent.AggWindow || o.Agg == intent.AggAvg && o.Per.Kind != intent.KindEntity
}

// dateOf is a date of the layer by its id, or, where that is empty, the only one of a
// table; nil where the table has none.
func dateOf(layer *semantic.Layer, table, id string) (*semantic.DateColumn, error) {
	dates := layer.DatesOf(table)
	if id != "" {
		at := slices.IndexFunc(dates, func(d semantic.DateColumn) bool { return d.ID == id })
		if at < 0 {
			return nil, &Problem{Code: "NO_DIMENSION", What: []string{id}}
		}
		return &dates[at], nil
	}
	switch len(dates) {
	case 0:
		return nil, nil
	case 1:
		return &dates[0], nil
	}
	p := &Problem{Code: "SEVERAL_DATES"}
	for _, d := range dates {
		p.Options = append(p.Options, d.ID)
	}
	return nil, p
}

// joinTime joins the table of the metrics' time where that is another.
func (c *Choice) joinTime(layer *semantic.Layer, via string) error {
	of := c.Metrics[0].TimeOf()
	if of == c.Table && via == "" {
		return nil
	}
	path, ok := layer.Path(c.Table, of, via)
	if ok {
		c.TimeAt, ok = c.join(path)
	}
	if !ok {
		return &Problem{Code: "NO_DIMENSION", What: []string{"time"}}
	}
	return nil
}

// dated joins the table of the metrics' time and returns what the choice calls it.
func (c *Choice) dated(layer *semantic.Layer) (table string, ok bool) {
	if c.TimeAt == "" {
		if c.joinTime(layer, "") != nil {
			return "", false
		}
	}
	return cmp.Or(c.TimeAt, c.Table), true
}
