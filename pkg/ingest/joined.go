package ingest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// Joined are descriptions of tables, as a dbt project has them, beside the tables whose
// data are there.
type Joined struct {
	described []catalog.Table
	table     map[int]*catalog.Table // of data, by the place of its description
}

// Join finds the table that each description means: the one of its full name, of its
// schema and name, or of its name where only one table and one description have it.
func Join(tables []*catalog.Table, described []catalog.Table) *Joined {
	j := &Joined{described: described, table: make(map[int]*catalog.Table)}
	for _, part := range []func(catalog.Name) string{
		func(n catalog.Name) string { return n.Key() },
		func(n catalog.Name) string { return catalog.Name{Schema: n.Schema, Table: n.Table}.Key() },
		func(n catalog.Name) string { return catalog.Name{Table: n.Table}.Key() },
	} {
		byName, alike := make(map[string]*catalog.Table), make(map[string]int)
		for _, t := range tables {
			byName[part(t.Name)] = t
			alike[part(t.Name)]++
		}
		descriptions := make(map[string]int)
		for i := range described {
			descriptions[part(described[i].Name)]++
		}
		for i := range described {
			key := part(described[i].Name)
			if alike[key] == 1 && descriptions[key] == 1 { // one that has more of a name in common has this part too
				j.table[i] = byName[key]
			}
		}
	}
	return j
}

// Table returns the table that the description of a name means, and whether there is
// one. The name need not have a region.
func (j *Joined) Table(name catalog.Name) (*catalog.Table, bool) {
	var found *catalog.Table
	for i, t := range j.table {
		n := j.described[i].Name
		if strings.EqualFold(n.Table, name.Table) && (name.Schema == "" || strings.EqualFold(n.Schema, name.Schema)) && (name.Region == "" || strings.EqualFold(n.Region, name.Region)) {
			if found != nil {
				return nil, false
			}
			found = t
		}
	}
	return found, found != nil
}

// Missing are the descriptions of tables whose data are not there.
func (j *Joined) Missing() []string {
	var names []string
	for i := range j.described {
		if j.table[i] == nil {
			names = append(names, j.described[i].Name.String())
		}
	}
	return names
}

// Describe gives the tables the texts and marks of their descriptions: what people
// wrote there goes before comments of the data.
func (j *Joined) Describe() {
	for i := range j.described {
		t, d := j.table[i], &j.described[i]
		if t == nil {
			continue
		}
		t.Columns = slices.Clone(t.Columns) // they may be those of another generation
		t.Description = cmp.Or(d.Description, t.Description)
		for _, text := range []struct {
			of *string
			is string
		}{
			{&t.Mart, d.Mart}, {&t.Topic, d.Topic}, {&t.Layer, d.Layer}, {&t.Country, d.Country}, {&t.Grain, d.Grain},
			{&t.Owner, d.Owner}, {&t.Manifest, d.Manifest}, {&t.Successor, d.Successor},
		} {
			*text.of = cmp.Or(*text.of, text.is)
		}
		t.Quality = cmp.Or(t.Quality, d.Quality)
		if len(t.Upstream) == 0 {
			t.Upstream = j.meant(d.Upstream)
		}
		for _, tag := range d.Tags {
			if !slices.Contains(t.Tags, tag) {
				t.Tags = append(slices.Clip(t.Tags), tag)
			}
		}
		for k := range d.Columns {
			if c, ok := columnOf(t, d.Columns[k].Name); ok {
				c.Comment = cmp.Or(d.Columns[k].Comment, c.Comment)
				c.NotNull = c.NotNull || d.Columns[k].NotNull
			}
		}
	}
}

// meant are the names of the tables that descriptions of these names mean; one that is
// described and not there is left out.
func (j *Joined) meant(described []catalog.Name) []catalog.Name {
	var names []catalog.Name
	for _, n := range described {
		if t, ok := j.Table(n); ok {
			names = append(names, t.Name)
		}
	}
	return names
}

// columnOf is a table's column, to be changed.
func columnOf(t *catalog.Table, name string) (*catalog.Column, bool) {
	i := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 {
		return nil, false
	}
	return &t.Columns[i], true
}

// Declare gives the tables the keys, references and values of their descriptions that
// they do not have. unique tells whether the values of a key are all there and
// different; nil: they are believed to be. What the data deny is returned as sentences.
func (j *Joined) Declare(unique func(*catalog.Table, []string) (bool, error)) (denied []string, err error) {
	for i := range j.described {
		t, d := j.table[i], &j.described[i]
		if t == nil {
			continue
		}
		if key := d.PrimaryKey(); len(t.PrimaryKey()) == 0 && len(key) > 0 && spell(t, key) {
			is := true
			if unique != nil {
				if is, err = unique(t, key); err != nil {
					return denied, err
				}
			}
			if !is {
				denied = append(denied, fmt.Sprintf("%s (%s) is described as a key and is none: values are missing or come again", t.Name, strings.Join(key, ", ")))
			}
			for _, name := range key {
				if c, ok := columnOf(t, name); ok && is {
					c.PrimaryKey = true
				}
			}
		}
		j.refer(t, d)
		for k := range d.Columns {
			if c, ok := columnOf(t, d.Columns[k].Name); ok && len(c.Samples) == 0 && c.Personal == nil {
				c.Samples = d.Columns[k].Samples
			}
		}
	}
	return denied, nil
}

// refer adds the references of a description to tables that are there.
func (j *Joined) refer(t *catalog.Table, d *catalog.Table) {
	for _, fk := range d.ForeignKeys {
		to, ok := j.Table(fk.RefTable)
		fk.Columns, fk.RefColumns = slices.Clone(fk.Columns), slices.Clone(fk.RefColumns)
		if !ok || len(fk.Columns) != len(fk.RefColumns) || !spell(t, fk.Columns) || !spell(to, fk.RefColumns) {
			continue
		}
		fk.RefTable = to.Name
		at := slices.IndexFunc(t.ForeignKeys, func(known catalog.ForeignKey) bool { return slices.Equal(known.Columns, fk.Columns) })
		switch {
		case at < 0:
			t.ForeignKeys = append(t.ForeignKeys, fk)
		case t.ForeignKeys[at].Found != nil:
			t.ForeignKeys[at] = fk // what is declared goes before what was found
		}
	}
}

// joinDescriptions adds what Options.Described says of the tables.
func (b *builder) joinDescriptions(ctx context.Context) error {
	if len(b.options.Described) == 0 {
		return nil
	}
	j := Join(b.tables, b.options.Described)
	j.Describe()
	denied, err := j.Declare(func(t *catalog.Table, key []string) (bool, error) {
		names := make([]string, len(key))
		for i, name := range key {
			names[i] = quote(name)
		}
		list := strings.Join(names, ", ")
		var different, all int64
		query := "SELECT count(*), (SELECT count(*) FROM " + quote(t.Name.Schema, t.Name.Table) + ") FROM (SELECT DISTINCT " + list + " FROM " + quote(t.Name.Schema, t.Name.Table) + " WHERE " + strings.Join(names, " IS NOT NULL AND ") + " IS NOT NULL)"
		if err := b.conn.QueryRowContext(ctx, query).Scan(&different, &all); err != nil {
			return false, fmt.Errorf("look at the key of %s: %w", t.Name, err)
		}
		return different == all, nil
	})
	for _, sentence := range denied {
		b.problem(Problem{Kind: KindChanged, Message: sentence})
	}
	if missing := j.Missing(); len(missing) > 0 {
		b.problem(Problem{Kind: KindNote, Message: MissingSentence(missing)})
	}
	return err
}

// MissingSentence names descriptions whose tables are not there.
func MissingSentence(names []string) string {
	const shown = 5
	more := ""
	if len(names) > shown {
		more = fmt.Sprintf(" and %d more", len(names)-shown)
	}
	return fmt.Sprintf("described, but not among the tables: %s%s", strings.Join(names[:min(len(names), shown)], ", "), more)
}
