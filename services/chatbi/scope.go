package chatbi

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogrpc"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/lineage"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// scopeOf says what the rows of a statement are of: countries, by ISO 3166 code, and the
// other conditions in words, each once. The countries are those that a condition names, else
// those of the tables; none where they are not known. Conditions about the days of a column
// are left out, but for days and hours that come again; column "": none are. That a column that is shown has a value is no news.
func (s *Service) scopeOf(approved guard.Approved, known *catalogrpc.Excerpt, l lang.Language, column string, shown []result.Column) (countries, conditions []string) {
	words, places := s.conditionWords(known, l), placesOf(approved.Asked().Statement())
	for _, f := range lineage.Of(approved.Asked()).Filters {
		if f.Within || column != "" && about(f, column) && !comesAgain(f.SQL) {
			continue
		}
		if codes := countriesIn(f, known); len(codes) > 0 && countries == nil {
			countries = codes
			continue
		}
		if column, ok := isThere(f.SQL); ok && slices.ContainsFunc(shown, func(c result.Column) bool { return about(f, c.Name) || strings.EqualFold(column, c.Name) }) {
			continue // the rows show that it has a value
		}
		if isMovement(f.SQL, shown) {
			continue // the rows show by how much it rose or fell
		}
		if ofPlace(f.SQL, places) {
			continue // the first rows of each group are what is asked for
		}
		if text := words.of(f); !slices.Contains(conditions, text) {
			conditions = append(conditions, text)
		}
	}
	if countries == nil {
		countries = countriesOf(approved, known)
	}
	return countries, conditions
}

// comesAgain reports a condition on days of the week or hours of the day, which no range of days is.
func comesAgain(condition string) bool {
	found := false
	if x := expression(condition); x != nil {
		tree.Walk(x, func(n tree.Node) bool {
			call, ok := n.(*tree.Call)
			found = found || ok && isStep(call)
			return !found
		})
	}
	return found
}

// isThere reports a condition that something has a value, and the name of the column, as the
// statement calls it, where it is one.
func isThere(condition string) (column string, ok bool) {
	x, ok := expression(condition).(*tree.IsNull)
	if !ok || !x.Not {
		return "", false
	}
	if c, is := x.X.(*tree.ColumnRef); is {
		return c.Parts[len(c.Parts)-1].Name, true
	}
	return "", true
}

// isMovement reports a condition that the difference of two columns that are shown is above
// or below nothing.
func isMovement(condition string, shown []result.Column) bool {
	x, ok := expression(condition).(*tree.Binary)
	if !ok {
		return false
	}
	zero, isNumber := x.Right.(*tree.Number)
	difference, isDifference := x.Left.(*tree.Binary)
	return isNumber && zero.Text == "0" && isDifference && difference.Op == tree.OpSub && isShown(difference.Left, shown) && isShown(difference.Right, shown)
}

// isShown reports whether an expression is a column that is shown, with or without a value
// in place of NULL.
func isShown(x tree.Expr, shown []result.Column) bool {
	if call, ok := x.(*tree.Call); ok && len(call.Args) == 2 && call.Name.Key() == "coalesce" {
		x = call.Args[0]
	}
	c, ok := x.(*tree.ColumnRef)
	return ok && slices.ContainsFunc(shown, func(s result.Column) bool { return strings.EqualFold(s.Name, c.Parts[len(c.Parts)-1].Name) })
}

// placesOf are the names that a statement gives to what windows compute, as the place of a row
// among those of its group.
func placesOf(stmt *tree.Statement) []string {
	var names []string
	tree.Walk(stmt, func(n tree.Node) bool {
		if item, ok := n.(*tree.SelectExpr); ok && item.Alias != nil {
			if call, is := item.Expr.(*tree.Call); is && call.Over != nil {
				names = append(names, item.Alias.Name)
			}
		}
		return true
	})
	return names
}

// ofPlace reports a condition that compares one of such names with a number.
func ofPlace(condition string, places []string) bool {
	x, ok := expression(condition).(*tree.Binary)
	if !ok {
		return false
	}
	c, isColumn := x.Left.(*tree.ColumnRef)
	_, isNumber := x.Right.(*tree.Number)
	return isColumn && isNumber && slices.ContainsFunc(places, func(name string) bool { return strings.EqualFold(name, c.Parts[len(c.Parts)-1].Name) })
}

// countriesOf are the countries of the tables of a statement; none where one of them is of
// no country.
func countriesOf(approved guard.Approved, known *catalogrpc.Excerpt) []string {
	var out []string
	for _, name := range approved.Tables() {
		t, ok := known.Lookup(name)
		if !ok || t.Country == "" {
			return nil
		}
		if !slices.Contains(out, t.Country) {
			out = append(out, t.Country)
		}
	}
	return out
}

// countriesIn are the countries that a condition asks for, one or a list of them; none where
// it is about something else. Two capital letters may be many things, so that the stored
// values of the column have to be codes of countries too.
func countriesIn(f lineage.Filter, known *catalogrpc.Excerpt) []string {
	if len(f.Columns) != 1 {
		return nil
	}
	t, ok := known.Lookup(f.Columns[0].Table)
	if !ok {
		return nil
	}
	if c, ok := t.Column(f.Columns[0].Column); !ok || !holdsCountries(c) {
		return nil
	}
	codes := equals(f.SQL)
	if slices.ContainsFunc(codes, func(code string) bool { return !isCountry(code) }) {
		return nil
	}
	return codes
}

// fewestCountries is how many different codes tell that a column has countries.
const fewestCountries = 3

func holdsCountries(c catalog.Column) bool {
	return len(c.Samples) >= fewestCountries && !slices.ContainsFunc(c.Samples, func(v string) bool { return !isCountry(v) })
}

func isCountry(code string) bool { return result.CountryName(code, lang.English) != "" }

// equals are the texts that a condition lets a column have, column = 'x' or
// column IN ('x', 'y'); none where it is another condition.
func equals(condition string) []string {
	var column tree.Expr
	var values []tree.Expr
	switch x := expression(condition).(type) {
	case *tree.Binary:
		if x.Op == tree.OpEq {
			column, values = x.Left, []tree.Expr{x.Right}
		}
	case *tree.InList:
		if !x.Not {
			column, values = x.X, x.List
		}
	}
	if _, ok := column.(*tree.ColumnRef); !ok {
		return nil
	}
	var out []string
	for _, v := range values {
		text, ok := v.(*tree.String)
		if !ok {
			return nil
		}
		out = append(out, text.Value)
	}
	return out
}
