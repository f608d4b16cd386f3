package analyse

import (
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// persons are two columns of a result that name a person together. The analysis sees one
// column in the place of the first: nobody is called by a first name alone where a last
// name stands beside it, and two people of one first name are two.
type persons struct {
	first, last int
	was         result.Column // the last name's
}

// joinNames makes one column of the first and the last name of a person; nil where the
// result has not one of each, both texts.
func joinNames(in Input) (Input, *persons) {
	names := make([]string, len(in.Table.Columns))
	for i, c := range in.Table.Columns {
		names[i] = c.Name
	}
	first, last, whole, ok := semantic.NameParts(names)
	if !ok || in.Table.Columns[first].Kind() != result.KindText || in.Table.Columns[last].Kind() != result.KindText {
		return in, nil
	}
	p := &persons{first, last, in.Table.Columns[last]}
	in.Table.Columns = slices.Delete(slices.Clone(in.Table.Columns), last, last+1)
	in.Columns = slices.Clone(in.Columns)
	in.Columns[first] = Column{Label: whole}
	in.Columns = slices.Delete(in.Columns, last, last+1)
	in.Table.Rows, in.Beyond = p.rows(in.Table.Rows), p.rows(in.Beyond)
	if in.Order != nil {
		o := *in.Order
		o.Column = p.at(o.Column)
		in.Order = &o
	}
	return in, p
}

// at is where a column is once the last name's is gone, whose values are in the first name's.
func (p *persons) at(column int) int {
	if column == p.last {
		column = p.first
	}
	if column > p.last {
		return column - 1
	}
	return column
}

func (p *persons) rows(rows [][]any) [][]any {
	out := make([][]any, len(rows))
	for r, row := range rows {
		joined := slices.Clone(row)
		joined[p.first] = joinName(row[p.first], row[p.last])
		out[r] = slices.Delete(joined, p.last, p.last+1)
	}
	return out
}

// joinName writes a name as people do, in Chinese with the family's name first.
func joinName(first, last any) any {
	a, _ := first.(string)
	b, _ := last.(string)
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	switch {
	case a == "" && b == "":
		return nil
	case a == "" || b == "":
		return a + b
	case unicode.Is(unicode.Han, []rune(b)[0]):
		return b + a
	}
	return a + " " + b
}

// apart puts the column of the last name back among those that people see.
func (p *persons) apart(columns []result.Column) []result.Column {
	if p == nil {
		return columns
	}
	return slices.Insert(columns, p.last, p.was)
}
