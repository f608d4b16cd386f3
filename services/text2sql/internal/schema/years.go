package schema

import (
	"regexp"
	"strconv"
)

// yearInName is a year that a name says, between what is no digit.
var yearInName = regexp.MustCompile(`(^|[^0-9])((?:19|20)[0-9]{2})([^0-9]|$)`)

// tellYears tells which year the numbers of a table's columns are of, where columns are called the
// same but for the year: population_2011 and population_2016, 2023年产量 and 2024年产量.
func (t *Table) tellYears() {
	called := map[string][]*Column{} // by their names without the year
	years := map[*Column]int{}
	for _, c := range t.Columns {
		all := yearInName.FindAllStringSubmatch(c.Expr, -1)
		if len(all) != 1 || !c.Numeric() {
			continue
		}
		year, err := strconv.Atoi(all[0][2])
		if err != nil {
			continue
		}
		name := yearInName.ReplaceAllString(c.Expr, "$1#$3")
		years[c] = year
		called[name] = append(called[name], c)
	}
	for _, list := range called {
		if len(list) < 2 { // the name says more than when: model_2000
			continue
		}
		for _, c := range list {
			c.Year = years[c]
		}
	}
}

// Years are those that columns of the schema are of by their names.
func (v *View) Years() map[int]bool { return v.years }
