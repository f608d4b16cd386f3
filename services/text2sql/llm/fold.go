package llm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/mark"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// entry is what is told as one table: a table, or several that have the same columns and
// names that differ in their country, copy or shard alone.
type entry struct {
	*catalog.Table // of several: the columns with the values of all
	members        []*catalog.Table
	name           string // as SQL has it; of several: eu.s.orders__{de,fr}_live
}

// fold makes one entry of tables of one family with the same columns, in the order of
// the first of each. A model that is told eight tables one by one has no room for others.
func fold(tables []catalog.Table) []*entry {
	names := make([]mark.Name, len(tables))
	for i := range tables {
		t := &tables[i]
		names[i] = mark.Name{Schema: t.Name.Schema, Table: t.Name.Table, Country: t.Country, Layer: t.Layer, Manifest: t.Manifest}
	}
	marks := mark.Read(names)
	var out []*entry
	known := map[string]*entry{}
	for i := range tables {
		t := &tables[i]
		key := fmt.Sprintf("%s\x00%s\x00%s", strings.ToLower(t.Name.Schema), strings.ToLower(marks[i].Stem), form(t))
		if !isPlain(t.Name) {
			key = "\x00" + t.Name.Key() // the names of quoted tables are told whole
		}
		if e, ok := known[key]; ok {
			e.members = append(e.members, t)
			continue
		}
		e := &entry{Table: t, members: []*catalog.Table{t}, name: sqlName(t.Name)}
		known[key], out = e, append(out, e)
	}
	for _, e := range out {
		if len(e.members) > 1 {
			e.merge()
		}
	}
	return out
}

// has reports a table of that name among those of an entry.
func (e *entry) has(name catalog.Name) bool {
	return slices.ContainsFunc(e.members, func(t *catalog.Table) bool { return t.Name.Key() == name.Key() })
}

// isAny reports an entry with a table that one of the names means.
func (e *entry) isAny(names []string) bool {
	return slices.ContainsFunc(e.members, func(t *catalog.Table) bool {
		return slices.ContainsFunc(names, func(name string) bool { return semantic.Matches(name, t) })
	})
}

// isPlain reports a name that needs no quotes.
func isPlain(n catalog.Name) bool {
	for _, part := range []string{n.Region, n.Schema, n.Table} {
		if part != "" && printer.Ident(part) != part {
			return false
		}
	}
	return true
}

// form is all of a table's columns and keys but their values. Tables of one form are read
// by one statement with another name.
func form(t *catalog.Table) string {
	var b strings.Builder
	for i := range t.Columns {
		c := &t.Columns[i]
		kind := ""
		if c.Personal != nil {
			kind = c.Personal.Kind
		}
		fmt.Fprintf(&b, "%s\x01%s\x01%t%t\x01%s\x01%s\x01%s\x02", c.Name, c.Type, c.PrimaryKey, c.Partition, c.Comment, c.Unit, kind)
	}
	for _, k := range t.ForeignKeys {
		fmt.Fprintf(&b, "%v\x01%s\x01%v\x02", k.Columns, k.RefTable.Key(), k.RefColumns)
	}
	return b.String()
}

// merge makes the table of an entry one with the rows and values of all its members.
func (e *entry) merge() {
	members := slices.Clone(e.members)
	slices.SortFunc(members, func(a, b *catalog.Table) int { return cmp.Compare(a.Name.Key(), b.Name.Key()) })
	whole := *members[0]
	whole.Columns = slices.Clone(whole.Columns)
	for i := range whole.Columns {
		whole.Columns[i].Samples = nil
	}
	for n, t := range members {
		if n > 0 {
			whole.RowCount += max(0, t.RowCount)
			if t.Description != whole.Description {
				whole.Description = ""
			}
			if t.Grain != whole.Grain {
				whole.Grain = ""
			}
		}
	}
	for i := range whole.Columns {
		c := &whole.Columns[i]
		complete, seen := true, map[string]bool{}
		for _, t := range members {
			of := &t.Columns[i]
			complete = complete && of.Distinct > 0 && int64(len(of.Samples)) >= of.Distinct
			c.Distinct = max(c.Distinct, of.Distinct)
			for _, s := range of.Samples {
				if !seen[s] {
					seen[s], c.Samples = true, append(c.Samples, s)
				}
			}
		}
		if all := int64(len(c.Samples)); complete {
			c.Distinct = all
		} else if c.Distinct <= all { // there are values that nobody has seen
			c.Distinct = all + 1
		}
	}
	e.Table, e.name = &whole, together(members)
}

// maxMembers bounds the names that are told of one entry.
const maxMembers = 60

// together writes the names of several tables as few patterns: what differs is between
// braces, for each region apart.
func together(tables []*catalog.Table) string {
	var parts []string
	for i := 0; i < min(len(tables), maxMembers); {
		first := tables[i].Name
		var names []string
		for ; i < min(len(tables), maxMembers) && tables[i].Name.Region == first.Region && tables[i].Name.Schema == first.Schema; i++ {
			names = append(names, tables[i].Name.Table)
		}
		first.Table = braces(names)
		parts = append(parts, strings.Join(slices.DeleteFunc([]string{first.Region, first.Schema, first.Table}, func(s string) bool { return s == "" }), "."))
	}
	if more := len(tables) - maxMembers; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, ", ")
}

// braces writes names with what they have in common at both ends written once.
func braces(names []string) string {
	head, tail := names[0], names[0]
	for _, n := range names[1:] {
		for !strings.HasPrefix(n, head) {
			head = head[:len(head)-1]
		}
		for !strings.HasSuffix(n, tail) {
			tail = tail[1:]
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	head = head[:strings.LastIndex(head, "_")+1] // whole words are told apart
	if i := strings.Index(tail, "_"); i >= 0 {
		tail = tail[i:]
	} else {
		tail = ""
	}
	middle := make([]string, len(names))
	for i, n := range names {
		if len(n) < len(head)+len(tail) {
			return "{" + strings.Join(names, ",") + "}"
		}
		middle[i] = n[len(head) : len(n)-len(tail)]
	}
	return head + "{" + strings.Join(middle, ",") + "}" + tail
}
