package stored

import (
	"bytes"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// The records, each field in the order of its encode function; decode reads them
// in the same order. A change of either needs another version.

// Bits of a column.
const (
	bitPrimaryKey = 1 << iota
	bitPartition
	bitNotNull
	bitWritten   // what the reading of a file made of it follows; since version 2
	bitPersonal  // kind and reason follow the column
	bitMissing   // how many values are missing follows
	bitRange     // the least and the greatest value follow; since version 4
	bitNotJoined // nothing follows, so that older readers pass it over
)

func (e *encoder) snapshot(s *catalog.Snapshot) {
	columns := 0
	for i := range s.Tables {
		columns += len(s.Tables[i].Columns)
	}
	e.uint(uint64(columns)) // so that older readers take the memory at once
	e.uint(uint64(len(s.Tables)))
	for i := range s.Tables {
		e.table(&s.Tables[i])
	}
	e.uint(uint64(len(s.Marts)))
	for _, m := range s.Marts {
		e.text(m.Name)
		e.text(m.Description)
		e.texts(m.Synonyms)
		e.bool(m.Fallback)
	}
	e.uint(uint64(len(s.Glossary)))
	for _, t := range s.Glossary {
		e.text(t.Term)
		e.texts(t.Synonyms)
		e.text(t.Definition)
		e.text(t.Mart)
	}
	e.uint(uint64(len(s.Rules)))
	for _, r := range s.Rules {
		e.text(r.ID)
		e.text(r.Text)
		e.text(r.Mart)
	}
}

func (d *decoder) snapshot() *catalog.Snapshot {
	d.count() // of columns; older readers take their memory at once
	d.shared, d.records = make(map[uint64][]catalog.Column), make(map[uint64][]byte)
	s := &catalog.Snapshot{}
	s.Tables = make([]catalog.Table, d.count())
	for i := range s.Tables {
		d.table(&s.Tables[i])
	}
	s.Marts = list(d, func() catalog.Mart {
		return catalog.Mart{Name: d.text(), Description: d.text(), Synonyms: d.textList(), Fallback: d.bool()}
	})
	s.Glossary = list(d, func() catalog.Term {
		return catalog.Term{Term: d.text(), Synonyms: d.textList(), Definition: d.text(), Mart: d.text()}
	})
	s.Rules = list(d, func() catalog.Rule { return catalog.Rule{ID: d.text(), Text: d.text(), Mart: d.text()} })
	return s
}

func (e *encoder) name(n catalog.Name) {
	e.text(n.Region)
	e.text(n.Schema)
	e.text(n.Table)
}

func (d *decoder) name() catalog.Name {
	return catalog.Name{Region: d.text(), Schema: d.text(), Table: d.text()}
}

func (e *encoder) table(t *catalog.Table) {
	e.name(t.Name)
	for _, s := range []string{string(t.Kind), t.Description, t.Mart, t.Topic, t.Layer, t.Country, t.Manifest, t.Grain, t.Owner, t.Successor} {
		e.text(s)
	}
	e.texts(t.Tags)
	e.int(t.RowCount)
	e.time(t.UpdatedAt)
	e.float(t.Quality)
	e.int(t.QueryCount30d)
	e.time(t.ProfiledAt)
	e.int(t.UnreadRows)
	e.uint(uint64(len(t.Columns)))
	for i := range t.Columns {
		e.column(&t.Columns[i])
	}
	e.uint(uint64(len(t.ForeignKeys)))
	for _, k := range t.ForeignKeys {
		e.texts(k.Columns)
		e.name(k.RefTable)
		e.texts(k.RefColumns)
		e.evidence(k.Found)
	}
	e.uint(uint64(len(t.Upstream)))
	for _, n := range t.Upstream {
		e.name(n)
	}
	e.texts(t.RowKey)
	e.uint(uint64(len(t.Dependencies)))
	for _, d := range t.Dependencies {
		e.text(d.Column)
		e.texts(d.Determines)
	}
	e.bool(t.Usage != nil)
	if t.Usage != nil {
		e.usage(t.Usage)
	}
}

func (d *decoder) table(t *catalog.Table) {
	t.Name = d.name()
	t.Kind = catalog.Kind(d.text())
	for _, s := range []*string{&t.Description, &t.Mart, &t.Topic, &t.Layer, &t.Country, &t.Manifest, &t.Grain, &t.Owner, &t.Successor} {
		*s = d.text()
	}
	t.Tags = d.textList()
	t.RowCount = d.int()
	t.UpdatedAt = d.time()
	t.Quality = d.float()
	t.QueryCount30d = d.int()
	t.ProfiledAt = d.time()
	if d.version > 1 {
		t.UnreadRows = d.int()
	}
	t.Columns = d.tableColumns()
	t.ForeignKeys = list(d, func() catalog.ForeignKey {
		return catalog.ForeignKey{Columns: d.textList(), RefTable: d.name(), RefColumns: d.textList(), Found: d.evidence()}
	})
	if d.version >= hasUpstream {
		t.Upstream = list(d, d.name)
	}
	if d.version >= hasRowKey {
		t.RowKey = d.textList()
	}
	if d.version >= hasDependencies {
		t.Dependencies = list(d, func() catalog.Dependency {
			return catalog.Dependency{Column: d.text(), Determines: d.textList()}
		})
	}
	if d.bool() {
		t.Usage = d.usage()
	}
}

func (e *encoder) evidence(f *catalog.Evidence) {
	e.bool(f != nil)
	if f == nil {
		return
	}
	e.text(f.Reason)
	e.bool(f.Person)
	e.int(f.Values)
	e.bool(f.Sampled)
}

func (d *decoder) evidence() *catalog.Evidence {
	if d.version < hasEvidence || !d.bool() {
		return nil
	}
	return &catalog.Evidence{Reason: d.text(), Person: d.bool(), Values: d.int(), Sampled: d.bool()}
}

func (e *encoder) column(c *catalog.Column) {
	e.text(c.Name)
	e.text(c.Type)
	e.text(c.Comment)
	var bits uint64
	if c.PrimaryKey {
		bits |= bitPrimaryKey
	}
	if c.Partition {
		bits |= bitPartition
	}
	if c.NotNull {
		bits |= bitNotNull
	}
	if c.Unit != "" || c.Written != "" || c.Unread != 0 || c.Resembles != "" {
		bits |= bitWritten
	}
	if c.Personal != nil {
		bits |= bitPersonal
	}
	if c.Absent != 0 || c.Missing != 0 {
		bits |= bitMissing
	}
	if c.Low != "" || c.High != "" {
		bits |= bitRange
	}
	if c.NotJoined {
		bits |= bitNotJoined
	}
	e.uint(bits)
	e.int(c.Distinct)
	e.texts(c.Samples)
	if bits&bitWritten != 0 {
		e.text(c.Unit)
		e.text(c.Written)
		e.int(c.Unread)
		e.text(c.Resembles)
	}
	if c.Personal != nil {
		e.text(c.Personal.Kind)
		e.text(c.Personal.Reason)
	}
	if bits&bitMissing != 0 {
		e.int(c.Absent)
		e.int(c.Missing)
	}
	if bits&bitRange != 0 {
		e.text(c.Low)
		e.text(c.High)
	}
}

// columnBlock is for how many columns memory is taken at once.
const columnBlock = 1024

// tableColumns reads the columns of a table. Copies and tables by country have the same
// ones: they share them, for they are most of a catalog.
func (d *decoder) tableColumns() []catalog.Column {
	before, lists := d.rest, d.lists
	columns := d.readColumns()
	if d.shared == nil || len(columns) == 0 {
		return columns
	}
	record := before[:len(before)-len(d.rest)]
	hash := xxhash.Sum64(record)
	if have, known := d.shared[hash]; known && bytes.Equal(d.records[hash], record) {
		d.columns, d.lists = d.columns[:len(d.columns)-len(columns)], lists
		return have
	}
	d.shared[hash], d.records[hash] = columns, record
	return columns
}

func (d *decoder) readColumns() []catalog.Column {
	n := d.count()
	if n == 0 {
		return nil
	}
	if d.plain || n > columnBlock {
		d.columns = make([]catalog.Column, 0, n)
	} else if len(d.columns)+n > cap(d.columns) {
		d.columns = make([]catalog.Column, 0, columnBlock)
	}
	from := len(d.columns)
	for range n {
		c := catalog.Column{Name: d.text(), Type: d.text(), Comment: d.text()}
		bits := d.uint()
		c.PrimaryKey, c.Partition, c.NotNull, c.NotJoined = bits&bitPrimaryKey != 0, bits&bitPartition != 0, bits&bitNotNull != 0, bits&bitNotJoined != 0
		c.Distinct = d.int()
		c.Samples = d.textList()
		if bits&bitWritten != 0 {
			c.Unit, c.Written, c.Unread, c.Resembles = d.text(), d.text(), d.int(), d.text()
		}
		if bits&bitPersonal != 0 {
			c.Personal = &catalog.Personal{Kind: d.text(), Reason: d.text()}
		}
		if bits&bitMissing != 0 {
			c.Absent, c.Missing = d.int(), d.int()
		}
		if bits&bitRange != 0 {
			c.Low, c.High = d.text(), d.text()
		}
		d.columns = append(d.columns, c)
		if d.err != nil {
			return nil
		}
	}
	return d.columns[from : from+n : from+n]
}

func (e *encoder) usage(u *catalog.Usage) {
	e.time(u.Until)
	e.uint(uint64(len(u.Uses)))
	for _, use := range u.Uses {
		e.text(use.Day)
		e.text(use.User)
		e.int(use.Queries)
	}
	e.uint(uint64(len(u.Columns)))
	for _, c := range u.Columns {
		e.text(c.Column)
		e.int(c.Queries)
		e.text(c.LastDay)
		e.int(c.Filters)
		e.int(c.Groups)
	}
	e.uint(uint64(len(u.Joins)))
	for _, j := range u.Joins {
		e.name(j.Table)
		e.texts(j.Columns)
		e.texts(j.RefColumns)
		e.int(j.Queries)
		e.text(j.LastDay)
	}
	e.uint(uint64(len(u.Templates)))
	for _, t := range u.Templates {
		e.text(t.SQL)
		e.reads(t.Reads)
		e.int(t.Queries)
		e.text(t.LastDay)
	}
	e.uint(uint64(len(u.Words)))
	for _, w := range u.Words {
		e.text(w.Text)
		e.reads(w.Reads)
		e.int(w.Queries)
		e.text(w.LastDay)
	}
}

func (e *encoder) reads(reads []catalog.Read) {
	e.uint(uint64(len(reads)))
	for _, r := range reads {
		e.name(r.Table)
		e.texts(r.Columns)
	}
}

func (d *decoder) reads() []catalog.Read {
	return list(d, func() catalog.Read { return catalog.Read{Table: d.name(), Columns: d.textList()} })
}

func (d *decoder) usage() *catalog.Usage {
	shapes := d.version >= hasShapes
	u := &catalog.Usage{
		Until: d.time(),
		Uses:  list(d, func() catalog.Use { return catalog.Use{Day: d.text(), User: d.text(), Queries: d.int()} }),
		Columns: list(d, func() catalog.ColumnUse {
			c := catalog.ColumnUse{Column: d.text(), Queries: d.int(), LastDay: d.text()}
			if shapes {
				c.Filters, c.Groups = d.int(), d.int()
			}
			return c
		}),
		Joins: list(d, func() catalog.Join {
			return catalog.Join{Table: d.name(), Columns: d.textList(), RefColumns: d.textList(), Queries: d.int(), LastDay: d.text()}
		}),
	}
	if shapes {
		u.Templates = list(d, func() catalog.Template {
			return catalog.Template{SQL: d.text(), Reads: d.reads(), Queries: d.int(), LastDay: d.text()}
		})
		u.Words = list(d, func() catalog.Word {
			return catalog.Word{Text: d.text(), Reads: d.reads(), Queries: d.int(), LastDay: d.text()}
		})
	}
	return u
}

// time keeps the moment, not the zone: 0 for the zero time.
func (e *encoder) time(t time.Time) {
	if t.IsZero() {
		e.uint(0)
		return
	}
	e.uint(1)
	e.int(t.Unix())
	e.uint(uint64(t.Nanosecond()))
}

func (d *decoder) time() time.Time {
	if d.uint() == 0 {
		return time.Time{}
	}
	return time.Unix(d.int(), int64(d.uint())).UTC()
}
