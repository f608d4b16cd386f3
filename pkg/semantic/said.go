package semantic

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Said is something of a layer that people ask for, with all words for it and
// with what it is read from.
type Said struct {
	Names Text
	Words []string // its names and synonyms in both languages, each once
	// Metric: a number with a definition. Otherwise it is what numbers are told by.
	Metric bool
	Reads  []Read
}

// Read is a table, by its name in the layer, with the columns that are read of it.
// Among these may be names that are no columns: fields of rows.
type Read struct {
	Table   string
	Columns []string
}

// Said returns the metrics, dimensions and entities of a layer. One whose formula
// cannot be read is left out.
func (l *Layer) Said() []Said {
	var out []Said
	add := func(s Said) {
		if len(s.Words) > 0 && len(s.Reads) > 0 {
			out = append(out, s)
		}
	}
	for i := range l.Metrics {
		m := &l.Metrics[i]
		s := Said{Names: m.Names, Words: wordsFor(m.Names, m.Synonyms), Metric: true}
		if base, ok := l.variantOf(m); ok {
			s.Names, s.Words = base.Names, distinctWords(append(wordsFor(base.Names, base.Synonyms), s.Words...))
		}
		s.Reads = l.Reads(m)
		add(s)
	}
	for _, d := range l.Dimensions {
		add(Said{Names: d.Names, Words: wordsFor(d.Names, d.Synonyms), Reads: readsOf(d.Table, d.expr())})
	}
	for _, e := range l.Entities {
		if e.Table != "" {
			add(Said{Names: e.Names, Words: wordsFor(e.Names, e.Synonyms), Reads: []Read{{Table: e.Table, Columns: e.Key}}})
		}
	}
	return out
}

// VariantMark stands in an id between that of another item and the name of a
// variant: the same in another table ("gmv__country").
const VariantMark = "__"

// variantOf returns the metric that another is a variant of.
func (l *Layer) variantOf(m *Metric) (*Metric, bool) {
	base, _, is := strings.Cut(m.ID, VariantMark)
	if !is {
		return nil, false
	}
	return l.Metric(base)
}

// Reads returns what a metric is computed from; nil where a formula cannot be read
// or metrics are made of one another in a circle.
func (l *Layer) Reads(m *Metric) []Read { return l.reads(m, nil) }

// Reads returns what a dimension is computed from.
func (d *Dimension) Reads() Read {
	if all := readsOf(d.Table, d.expr()); len(all) == 1 {
		return all[0]
	}
	return Read{Table: d.Table}
}

// expr is what a dimension is computed by: where nothing is written, the column that
// is named as it, or as what it is a variant of.
func (d *Dimension) expr() string {
	base, _, _ := strings.Cut(d.ID, VariantMark)
	return cmp.Or(d.Expr, base)
}

func (l *Layer) reads(m *Metric, above []string) []Read {
	if !m.Composed() {
		if m.TimeTable == "" || m.TimeTable == m.Table {
			return readsOf(m.Table, append([]string{m.Expr, m.Time}, m.DefaultFilters...)...)
		}
		return append(readsOf(m.Table, append([]string{m.Expr}, m.DefaultFilters...)...), readsOf(m.TimeTable, m.Time)...)
	}
	inputs, err := m.Inputs()
	if err != nil || slices.Contains(above, m.ID) {
		return nil
	}
	var all []Read
	for _, id := range inputs {
		input, ok := l.Metric(id)
		if !ok {
			return nil
		}
		of := l.reads(input, append(slices.Clone(above), m.ID))
		if of == nil {
			return nil
		}
		for _, r := range of {
			all = merge(all, r)
		}
	}
	return all
}

// merge adds what is read of a table to what is read already.
func merge(all []Read, r Read) []Read {
	at := slices.IndexFunc(all, func(have Read) bool { return have.Table == r.Table })
	if at < 0 {
		return append(all, r)
	}
	all[at].Columns = append(slices.Clone(all[at].Columns), r.Columns...)
	return all
}

// readsOf returns what some expressions over one table read.
func readsOf(table string, exprs ...string) []Read {
	r := Read{Table: table}
	for _, text := range exprs {
		if text == "" {
			continue
		}
		x, err := ParseExpr(text)
		if err != nil {
			return nil
		}
		tree.Walk(x, func(n tree.Node) bool {
			if c, ok := n.(*tree.ColumnRef); ok {
				for _, part := range c.Parts {
					if !slices.Contains(r.Columns, part.Name) {
						r.Columns = append(r.Columns, part.Name)
					}
				}
			}
			return true
		})
	}
	return []Read{r}
}

func wordsFor(names Text, synonyms []string) []string {
	return distinctWords(append([]string{names.EN, names.ZH}, synonyms...))
}

// distinctWords leaves out empty words and those said before, whatever their case.
func distinctWords(words []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range words {
		if key := Fold(w); key != "" && !seen[key] {
			seen[key] = true
			out = append(out, w)
		}
	}
	return out
}
