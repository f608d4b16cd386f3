package semantic

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// maxJoinsByName bounds the guesses of one table: a key that more tables have is
// that of none of them.
const maxJoinsByName = 20

// joins adds foreign keys, then what the query history joined, and at last, between
// tables that neither joins, guesses by names.
func (d *deriver) joins() {
	j := joiner{tables: d.tables, byKey: make(map[string]int, len(d.tables)), pairs: map[[2]int]bool{}, byColumns: map[string]int{}}
	for i := range d.tables {
		j.byKey[d.tables[i].Name.Key()] = i
	}
	j.foreignKeys()
	j.history()
	j.prefixes()
	j.names()
	d.layer.Joins = j.out
}

type joiner struct {
	tables    []derivedTable
	byKey     map[string]int  // of full names
	pairs     map[[2]int]bool // joined tables, both ways
	byColumns map[string]int  // in out, by tables and columns, both ways
	out       []Join
	prefix    int // words that all columns' names begin with
}

func (j *joiner) add(from, to int, join Join) {
	join.From, join.To = j.tables[from].name, j.tables[to].name
	j.pairs[[2]int{from, to}], j.pairs[[2]int{to, from}] = true, true
	j.byColumns[columnsKey(join.From, join.Columns, join.To, join.ToColumns)] = len(j.out)
	j.byColumns[columnsKey(join.To, join.ToColumns, join.From, join.Columns)] = len(j.out)
	j.out = append(j.out, join)
}

func columnsKey(from string, columns []string, to string, toColumns []string) string {
	return strings.ToLower(from + "(" + strings.Join(columns, ",") + ")" + to + "(" + strings.Join(toColumns, ",") + ")")
}

func (j *joiner) foreignKeys() {
	for i := range j.tables {
		for _, fk := range j.tables[i].ForeignKeys {
			to, ok := j.byKey[fk.RefTable.Key()]
			if !ok || len(fk.Columns) == 0 || len(fk.Columns) != len(fk.RefColumns) {
				continue
			}
			cardinality := ManyToOne
			if sameColumns(j.tables[i].PrimaryKey(), fk.Columns) {
				cardinality = OneToOne
			}
			j.add(i, to, Join{Columns: fk.Columns, ToColumns: fk.RefColumns, Cardinality: cardinality, Declared: true})
		}
	}
}

// history adds the joins of the query history. One between columns that neither
// table tells its rows by repeats rows on both sides, and says so.
func (j *joiner) history() {
	for i := range j.tables {
		for _, use := range j.tables[i].JoinsOf() {
			to, ok := j.byKey[use.Table.Key()]
			if !ok || to == i || len(use.Columns) == 0 || len(use.Columns) != len(use.RefColumns) {
				continue
			}
			from, to, columns, toColumns := i, to, use.Columns, use.RefColumns
			if at, known := j.byColumns[columnsKey(j.tables[from].name, columns, j.tables[to].name, toColumns)]; known {
				j.out[at].Uses = max(j.out[at].Uses, use.Queries)
				continue
			}
			if !j.tables[from].has(columns) || !j.tables[to].has(toColumns) {
				continue // a column that is gone, or that the asker may not see
			}
			if !j.tables[to].unique(toColumns) && j.tables[from].unique(columns) {
				from, to, columns, toColumns = to, from, toColumns, columns
			}
			j.add(from, to, Join{Columns: columns, ToColumns: toColumns, Uses: use.Queries,
				Cardinality: cardinalityOf(j.tables[from].unique(columns), j.tables[to].unique(toColumns))})
		}
	}
}

func cardinalityOf(fromUnique, toUnique bool) Cardinality {
	switch {
	case fromUnique && toUnique:
		return OneToOne
	case toUnique:
		return ManyToOne
	case fromUnique:
		return OneToMany
	}
	return ManyToMany
}

func (t *derivedTable) has(columns []string) bool {
	return !slices.ContainsFunc(columns, func(c string) bool {
		_, ok := t.Column(c)
		return !ok
	})
}

// unique reports whether columns tell the rows of a table apart, as far as is known.
func (t *derivedTable) unique(columns []string) bool {
	if len(t.key) > 0 && sameColumns(t.key, columns) {
		return true
	}
	if len(columns) != 1 {
		return false
	}
	c, ok := t.Column(columns[0])
	return ok && c.Distinct > 0 && c.Distinct == t.RowCount
}

func sameColumns(a, b []string) bool {
	if len(a) == 0 || len(a) != len(b) {
		return false
	}
	for _, x := range a {
		if !slices.ContainsFunc(b, func(y string) bool { return strings.EqualFold(x, y) }) {
			return false
		}
	}
	return true
}

// names guesses joins between tables that nothing joined yet: a column that is
// named as another table's single key, or as the table and its key; then with a
// word in front, as manager_employee_id of an employee's id. Where two columns with
// different words in front point to one table, as home_team_id and away_team_id,
// which of them is meant is not known, and neither is taken.
func (j *joiner) names() {
	byName := map[string][]int{}
	for i := range j.tables {
		if len(j.tables[i].key) == 1 {
			for _, name := range j.keyNames(i) {
				byName[name] = append(byName[name], i)
			}
		}
	}
	for i := range j.tables {
		found := map[int]string{} // table -> column
		columns := j.tables[i].Columns
		words := make([][]string, len(columns))
		for c := range columns {
			if columns[c].NotJoined || j.tables[i].found(columns[c].Name) {
				continue // a person said otherwise, or its values were compared: a name tells no more
			}
			words[c] = Words(columns[c].Name)
			for _, form := range j.forms(i, columns[c].Name) {
				for _, x := range byName[strings.Join(form, " ")] {
					if _, ok := found[x]; !ok && x != i && j.fits(i, x, &columns[c]) {
						found[x] = columns[c].Name
					}
				}
			}
		}
		qualified := map[int][]string{}
		for c := range columns {
			for skip := 1; skip < len(words[c])-1; skip++ {
				for _, x := range byName[strings.Join(words[c][skip:], " ")] {
					if x != i && found[x] == "" && j.fits(i, x, &columns[c]) {
						qualified[x] = append(qualified[x], columns[c].Name)
					}
				}
			}
		}
		for x, names := range qualified {
			if len(names) == 1 {
				found[x] = names[0]
			}
		}
		j.guesses(i, found)
	}
}

// found reports whether a column points to a table by its values.
func (t *derivedTable) found(column string) bool {
	return slices.ContainsFunc(t.ForeignKeys, func(k catalog.ForeignKey) bool {
		return k.Found != nil && slices.Contains(k.Columns, column)
	})
}

// fits reports whether a column may point to a table: of its type, of the same
// country, and in the same data centre where the table is there, too.
func (j *joiner) fits(from, to int, c *catalog.Column) bool {
	a, b := &j.tables[from], &j.tables[to]
	if a.Country != "" && b.Country != "" && !strings.EqualFold(a.Country, b.Country) {
		return false
	}
	if a.Name.Region != b.Name.Region {
		near := catalog.Name{Region: a.Name.Region, Schema: b.Name.Schema, Table: b.Name.Table}
		if _, ok := j.byKey[near.Key()]; ok {
			return false
		}
	}
	key, ok := b.Column(b.key[0])
	return ok && IsNumber(c.Type) == IsNumber(key.Type) && IsTime(c.Type) == IsTime(key.Type)
}

func (j *joiner) guesses(from int, found map[int]string) {
	if len(found) > maxJoinsByName {
		return
	}
	to := make([]int, 0, len(found))
	for x := range found {
		if !j.pairs[[2]int{from, x}] {
			to = append(to, x)
		}
	}
	slices.Sort(to)
	for _, x := range to {
		columns := []string{found[x]}
		cardinality := ManyToOne
		if sameColumns(j.tables[from].PrimaryKey(), columns) {
			cardinality = OneToOne
		}
		j.add(from, x, Join{Columns: columns, ToColumns: []string{j.tables[x].key[0]}, Cardinality: cardinality})
	}
}
