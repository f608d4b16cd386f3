package keys

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// strength says how well a column's name fits what it may point to.
type strength int

const (
	byValues    strength = iota + 1
	abbreviated          // cust_id, for customers
	inRole               // manager_id, for employees; home_team, for teams
	sameName             // serial_no, as the key is called
	calledFor            // customer_id, for customers
)

// proposal is a key that a column may point to.
type proposal struct {
	to     *table
	key    int // in to.Columns
	how    strength
	reason string
}

// kind of a type: values of different kinds are never compared.
type kind int

const (
	other kind = iota
	number
	text
)

func kindOf(presto string) kind {
	t := types.Parse(presto)
	switch t.Base {
	case "tinyint", "smallint", "integer", "bigint":
		return number
	case "decimal":
		if t.Scale == 0 {
			return number
		}
	case "varchar", "char", "uuid":
		return text
	}
	return other
}

func alike(a, b string) bool {
	k := kindOf(a)
	return k != other && k == kindOf(b) && (k == number || types.Parse(a).Base == types.Parse(b).Base)
}

// references finds the columns that point to the key of one column.
func (f *finder) references(ctx context.Context) error {
	for _, from := range f.tables {
		for i := range from.Columns {
			if c := &from.Columns[i]; c.Distinct == 0 || kindOf(c.Type) == other || points(from, c.Name) {
				continue
			}
			if err := f.reference(ctx, from, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// points reports whether it is known already what a column points to.
func points(from *table, column string) bool {
	return slices.ContainsFunc(from.ForeignKeys, func(k catalog.ForeignKey) bool { return len(k.Columns) == 1 && k.Columns[0] == column })
}

// reference finds what one column points to: of the proposals that its name fits
// best, the only one that holds its values.
func (f *finder) reference(ctx context.Context, from *table, column int) error {
	proposed := f.propose(from, column)
	c := from.Columns[column]
	for len(proposed) > 0 {
		best := slices.MaxFunc(proposed, func(a, b proposal) int { return int(a.how - b.how) }).how
		var holding []proposal // one a table: its first column that holds the values
		var found inclusion
		var near []string
		for _, p := range proposed {
			if p.how != best || slices.ContainsFunc(holding, func(h proposal) bool { return h.to == p.to }) {
				continue
			}
			in, err := f.include(ctx, from.Table, []string{c.Name}, p.to.Table, []string{p.to.Columns[p.key].Name})
			if err != nil {
				return err
			}
			if in.holds() && f.plausible(from, column, p, in) {
				holding, found = append(holding, p), in
			} else if in.values > 0 && in.missing > 0 && in.missing*10 <= in.values && p.how >= sameName {
				near = append(near, fmt.Sprintf("%d of its %d values are not in %s", in.missing, in.values, p.to.Name))
			}
		}
		switch {
		case len(holding) == 1:
			f.take(from, column, holding[0], found)
			return nil
		case len(holding) > 1:
			f.note("%s.%s may point to %s: none of them is taken", from.Name, c.Name, targets(holding))
			return nil
		case len(near) > 0:
			f.note("%s.%s does not point to another table, as its name says: %s", from.Name, c.Name, strings.Join(near, "; "))
			return nil
		}
		proposed = slices.DeleteFunc(proposed, func(p proposal) bool { return p.how >= best })
	}
	return nil
}

func targets(list []proposal) string {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.to.Name.String() + "." + p.to.Columns[p.key].Name
	}
	return strings.Join(names, " and ")
}

// minValues are how many different values have to be there for values alone to tell.
const minValues = 5

// plausible refuses what chance explains.
func (f *finder) plausible(from *table, column int, p proposal, in inclusion) bool {
	if p.how == byValues {
		return in.values >= minValues && in.values*4 >= p.to.RowCount
	}
	// Two keys of one name: the smaller set of things points to the larger one.
	if from.Table != p.to.Table && p.how == sameName && slices.Contains(from.unique, column) {
		return from.RowCount < p.to.RowCount
	}
	return true
}

// take enters a reference into the catalog.
func (f *finder) take(from *table, column int, p proposal, in inclusion) {
	c, key := from.Columns[column].Name, &p.to.Columns[p.key]
	if len(p.to.PrimaryKey()) == 0 {
		p.to.key().PrimaryKey = true
	}
	from.ForeignKeys = append(from.ForeignKeys, catalog.ForeignKey{
		Columns: []string{c}, RefTable: p.to.Name, RefColumns: []string{key.Name},
		Found: &catalog.Evidence{Reason: p.reason, Values: in.values, Sampled: in.sampled},
	})
	f.note("%s.%s is taken to point to %s.%s: %s, and all its values are there", from.Name, c, p.to.Name, key.Name, p.reason)
}

// propose lists the keys that a column may point to.
func (f *finder) propose(from *table, column int) []proposal {
	c := from.Columns[column]
	own := len(from.unique) > 0 && from.unique[0] == column
	p := &proposer{finder: f, from: from, column: c}
	stem, isKey := f.words.stem(c.Name)
	if isHan(c.Name) {
		p.chinese(stem)
	} else {
		p.english(stem, isKey)
	}
	if name := split(c.Name); !f.words.isBare(name) {
		for _, t := range f.byKey[phrase(name)] {
			for at, i := range t.unique {
				if phrase(split(t.Columns[i].Name)) != phrase(name) {
					continue
				}
				switch {
				case f.words.namesTable(c.Name, t.name):
					p.add(t, i, calledFor, "it is called for that table, as the key there is")
				case at == 0 && f.words.isKeyName(c.Name, t.name) || f.words.endsAsKey(c.Name) || at == 0 && i == 0:
					p.add(t, i, sameName, "the names are the same")
				} // else an equal column, which happens to hold a value once
			}
		}
	}
	if f.words.isSelf(c.Name) && len(from.unique) > 0 && !own {
		p.add(from, from.unique[0], inRole, "its name speaks of another row of the table")
	}
	if f.words.isRole(c.Name) {
		persons := f.persons
		if len(from.unique) > 0 && !slices.Contains(persons, from) && namesPersons(from) { // doctors have supervisors
			persons = append(slices.Clip(persons), from)
		}
		for _, t := range persons {
			if t != from || !own {
				p.add(t, t.unique[0], inRole, "its name speaks of a person in a role")
			}
		}
	}
	if own { // a key points elsewhere only where its name says so
		p.found = slices.DeleteFunc(p.found, func(x proposal) bool { return x.to == from || x.how < sameName })
		if f.words.isKeyName(c.Name, from.name) {
			p.found = slices.DeleteFunc(p.found, func(x proposal) bool { return x.how < calledFor })
		}
	}
	if len(p.found) == 0 && !own && len(f.tables) <= f.limits.MaxByValues {
		p.values()
	}
	return p.nearest()
}

// namesPersons reports whether the rows of a table are persons: they have names of persons, which
// are called no one else's, as a customer_name of orders is.
func namesPersons(t *table) bool {
	return slices.ContainsFunc(t.Columns, func(c catalog.Column) bool {
		if c.Personal == nil || c.Personal.Kind != "name" {
			return false
		}
		if isHan(c.Name) {
			return c.Name == "姓名" || c.Name == "名字" || len(t.name) == 1 && strings.HasPrefix(c.Name, t.name[0])
		}
		return !slices.ContainsFunc(semantic.Words(c.Name), func(w string) bool {
			return !slices.Contains(ownNames, w) && !slices.Contains(t.name, semantic.Singular(w))
		})
	})
}

// ownNames are the words of names of columns that hold a person's own name.
var ownNames = []string{"name", "full", "fullname", "first", "firstname", "last", "lastname", "given", "family", "middle", "surname", "forename"}

type proposer struct {
	*finder
	from   *table
	column catalog.Column
	found  []proposal
}

// add notes a proposal, once for each key: that of the best fit.
func (p *proposer) add(t *table, key int, how strength, reason string) {
	if !alike(p.column.Type, t.Columns[key].Type) || t == p.from && t.Columns[key].Name == p.column.Name {
		return
	}
	for i := range p.found {
		if p.found[i].to == t && p.found[i].key == key {
			if p.found[i].how < how {
				p.found[i] = proposal{t, key, how, reason}
			}
			return
		}
	}
	p.found = append(p.found, proposal{t, key, how, reason})
}

// addTable notes the columns that tell the rows of a table apart, of which a name
// speaks.
func (p *proposer) addTable(t *table, how strength, reason string) {
	for _, i := range t.unique {
		if alike(p.column.Type, t.Columns[i].Type) {
			p.add(t, i, how, reason)
		}
	}
}

// english reads customer_id, customer, ship_to_customer_id and cust_id.
func (p *proposer) english(stem []string, isKey bool) {
	if len(stem) == 0 || len(stem) == 1 && p.words.bare[stem[0]] {
		return
	}
	for skip := range stem {
		how, reason := calledFor, "it is called for that table"
		if skip > 0 {
			how, reason = inRole, "the end of its name is that of the table"
		}
		for _, t := range p.byTable[phrase(stem[skip:])] {
			if (t != p.from || skip > 0) && (skip == 0 || isKey || !p.counts()) {
				p.addTable(t, how, reason)
			}
		}
	}
	whole := split(p.column.Name)
	for skip := 1; skip < len(whole); skip++ { // ship_to_customer_id for customer_id
		if p.words.isBare(whole[skip:]) {
			continue
		}
		for _, t := range p.byKey[phrase(whole[skip:])] {
			if key := t.unique[0]; phrase(split(t.Columns[key].Name)) == phrase(whole[skip:]) {
				p.add(t, key, inRole, "the end of its name is that of the key")
			}
		}
	}
	for _, t := range p.byNoun[stem[len(stem)-1]] {
		if len(t.name) > 1 && t != p.from && (len(stem) == 1 || isKey) {
			p.addTable(t, abbreviated, "it is called for the last word of that table's name")
		}
	}
	if joined := strings.Join(stem, ""); isKey && len(joined) >= minStem {
		for _, t := range p.byHead[joined[:minStem]] {
			if t != p.from && abbreviates(joined, t.name) {
				p.addTable(t, abbreviated, "it is called for the beginning of that table's name")
			}
		}
	}
}

// counts reports whether a column is called for several things: a number of them is
// how many there are.
func (p *proposer) counts() bool {
	name := semantic.Words(p.column.Name)
	word := name[len(name)-1]
	return kindOf(p.column.Type) == number && semantic.Singular(word) != word
}

// chinese reads 客户编号, 客户 and 收货客户编号 for 客户表.
func (p *proposer) chinese(stem []string) {
	for _, t := range p.tables {
		if t == p.from || len(t.unique) == 0 || len(t.name) != 1 || !isHan(t.name[0]) || len(stem) != 1 {
			continue
		}
		switch {
		case stem[0] == t.name[0]:
			p.addTable(t, calledFor, "it is called for that table")
		case strings.HasSuffix(stem[0], t.name[0]):
			p.addTable(t, inRole, "the end of its name is that of the table")
		}
	}
}

// values proposes the keys of tables whose values are texts.
func (p *proposer) values() {
	if kindOf(p.column.Type) != text || p.column.Distinct < minValues {
		return
	}
	for _, t := range p.tables {
		if t == p.from || len(t.unique) == 0 || !p.words.endsAsKey(t.key().Name) || p.column.Distinct > t.RowCount {
			continue
		}
		p.add(t, t.unique[0], byValues, "its values are those of the key")
	}
}

// nearest leaves out tables of other schemas where one of the same schema fits.
func (p *proposer) nearest() []proposal {
	here := func(x proposal) bool { return x.to.Name.Schema == p.from.Name.Schema }
	if slices.ContainsFunc(p.found, here) {
		return slices.DeleteFunc(p.found, func(x proposal) bool { return !here(x) })
	}
	return slices.DeleteFunc(p.found, func(x proposal) bool { return x.how < sameName })
}
