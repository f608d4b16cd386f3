package preprocess

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/services/findata/library"
)

// knowledgePrefix begins the id of a table as a knowledge-base entry.
const knowledgePrefix = "prefill_hive_table_"

// A name in a text: up to three parts, perhaps marked with @ or in backquotes,
// perhaps with the country's placeholder.
const namePattern = "[@`]?[A-Za-z_][A-Za-z0-9_{}]*(?:\\.[A-Za-z_][A-Za-z0-9_{}]*){0,3}`?"

// readNames finds the tables that a request names and returns where in the text
// they stand.
func (r *Reader) readNames(q *Question, v *library.Volume, view *catalog.View, req Request) []retrieval.Span {
	for _, s := range req.Selected[:min(len(req.Selected), r.cfg.MaxMentions)] {
		s = strings.TrimPrefix(strings.TrimSpace(s), knowledgePrefix)
		if tables := find(view, s); len(tables) > 0 {
			q.addNamed(s, tables)
		} else {
			q.addUnknown(view, s, r.cfg.MaxNear)
		}
	}
	var spans []retrieval.Span
	looked := 0
	for _, at := range r.names.FindAllStringIndex(q.Text, -1) {
		written := q.Text[at[0]:at[1]]
		name := strings.TrimPrefix(strings.Trim(written, "@`"), knowledgePrefix)
		marked := name != written
		if !marked && !strings.ContainsAny(name, "_.") {
			continue // a plain word: search finds it, be it a table's name or not
		}
		if looked++; looked > r.cfg.MaxMentions {
			break
		}
		tables := find(view, name)
		switch {
		case len(tables) > 0:
			q.addNamed(name, tables)
		case marked || looksLikeTable(v.Index, name):
			q.addUnknown(view, name, r.cfg.MaxNear)
		default:
			continue
		}
		spans = append(spans, retrieval.Span{Start: at[0], End: at[1]})
	}
	for _, text := range req.History {
		looked := 0
		for _, word := range r.names.FindAllString(text, -1) {
			name := strings.Trim(word, "@`")
			if !strings.ContainsAny(name, "_.") {
				continue
			}
			if looked++; looked > r.cfg.MaxMentions {
				break
			}
			q.Earlier = append(q.Earlier, find(view, name)...)
		}
	}
	return spans
}

// find returns the tables of a name: as it is, as a family, or as the table of
// "table.column".
func find(view *catalog.View, written string) []*catalog.Table {
	written = strings.TrimRight(written, ".")
	if parts := strings.Split(written, "."); len(parts) == 4 {
		written = strings.Join(parts[:3], ".")
	}
	name, err := catalog.ParseName(written)
	if err != nil {
		return nil
	}
	if t, ok := view.Lookup(name); ok {
		return []*catalog.Table{t}
	}
	if tables := view.Find(name); len(tables) > 0 {
		return tables
	}
	var tables []*catalog.Table
	for _, f := range view.FindFamily(name) {
		tables = append(tables, f.Tables...)
	}
	if len(tables) > 0 || name.Schema == "" {
		return tables
	}
	head, err := catalog.ParseName(written[:strings.LastIndexByte(written, '.')])
	if err != nil {
		return nil
	}
	for _, t := range view.Find(head) {
		if _, ok := t.Column(name.Table); ok {
			tables = append(tables, t)
		}
	}
	return tables
}

// looksLikeTable tells a table's name that does not exist from a column, a file
// or an abbreviation.
func looksLikeTable(index *catalog.Index, name string) bool {
	parts := strings.Split(name, ".")
	last := parts[len(parts)-1]
	if index.HasColumn(last) {
		return false
	}
	return len(parts) == 3 || strings.Contains(last, "_")
}

func (q *Question) addNamed(as string, tables []*catalog.Table) {
	if !slices.ContainsFunc(q.Named, func(n Named) bool { return n.Tables[0] == tables[0] && len(n.Tables) == len(tables) }) {
		q.Named = append(q.Named, Named{As: as, Tables: tables})
	}
}

func (q *Question) addUnknown(view *catalog.View, name string, maxNear int) {
	if slices.ContainsFunc(q.Unknown, func(u Unknown) bool { return u.Name == name }) {
		return
	}
	u := Unknown{Name: name}
	if n, err := catalog.ParseName(name); err == nil {
		u.Near = view.Near(n, maxNear)
	}
	q.Unknown = append(q.Unknown, u)
}
