package llm

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// line is what tells of one column, or of several by one pattern of their names.
type line struct {
	name    string
	columns []*catalog.Column
}

// minPattern is how many columns a pattern has at least: fewer are told one by one.
const minPattern = 4

// lines are the columns of a table in stored order. Columns of one type of which nothing
// is known but their names, and whose names are all combinations of a few parts, are one
// line: {card,loan}_{amt,cnt}_{7d,30d}. Wide tables of measures are told whole that way.
func lines(t *catalog.Table) []line {
	var list []pattern
	for i := range t.Columns {
		c := &t.Columns[i]
		p := pattern{columns: []*catalog.Column{c}}
		if plainMeasure(t, c) {
			for _, part := range strings.Split(c.Name, "_") {
				p.parts = append(p.parts, []string{part})
			}
		}
		list = append(list, p)
	}
	for merged := true; merged; {
		merged = false
		for at := range widest(list) {
			var did bool
			list, did = mergeAt(list, at)
			merged = merged || did
		}
	}
	order := make(map[*catalog.Column]int, len(t.Columns))
	for i := range t.Columns {
		order[&t.Columns[i]] = i
	}
	var out []line
	for _, p := range list {
		if len(p.columns) >= minPattern {
			out = append(out, line{name: p.name(), columns: p.columns})
			continue
		}
		for _, c := range p.columns {
			out = append(out, line{name: c.Name, columns: []*catalog.Column{c}})
		}
	}
	slices.SortFunc(out, func(a, b line) int { return order[a.columns[0]] - order[b.columns[0]] })
	return out
}

// plainMeasure reports a column of which a model needs the name and the type alone.
func plainMeasure(t *catalog.Table, c *catalog.Column) bool {
	switch {
	case c.PrimaryKey, c.Partition, c.Comment != "", c.Unit != "", c.Personal != nil, c.Resembles != "", joins(t, c):
		return false
	case strings.HasPrefix(c.Type, "varchar"), strings.HasPrefix(c.Type, "char"):
		return false
	}
	return strings.Contains(c.Name, "_") && printer.Ident(c.Name) == c.Name
}

// pattern is columns whose names are all combinations of parts; without parts it is one
// column that is told by itself.
type pattern struct {
	parts   [][]string
	columns []*catalog.Column
}

// but is what patterns have in common that differ in the part at a place alone.
func (p *pattern) but(at int) string {
	var b strings.Builder
	b.WriteString(p.columns[0].Type)
	for i, words := range p.parts {
		b.WriteByte('_')
		if i != at {
			b.WriteString(strings.Join(words, ","))
		}
	}
	return b.String()
}

func (p *pattern) name() string {
	parts := make([]string, len(p.parts))
	for i, words := range p.parts {
		parts[i] = strings.Join(words, ",")
		if len(words) > 1 {
			parts[i] = "{" + parts[i] + "}"
		}
	}
	return strings.Join(parts, "_")
}

func widest(list []pattern) int {
	n := 0
	for i := range list {
		n = max(n, len(list[i].parts))
	}
	return n
}

// mergeAt makes one of patterns that differ at a place alone.
func mergeAt(list []pattern, at int) (out []pattern, merged bool) {
	seen := map[string]int{} // place in out
	for _, p := range list {
		if at >= len(p.parts) {
			out = append(out, p)
			continue
		}
		key := p.but(at)
		i, ok := seen[key]
		if !ok {
			seen[key] = len(out)
			out = append(out, p)
			continue
		}
		with := &out[i]
		with.parts = slices.Clone(with.parts)
		with.parts[at] = slices.Concat(with.parts[at], p.parts[at])
		with.columns = slices.Concat(with.columns, p.columns)
		merged = true
	}
	return out, merged
}
