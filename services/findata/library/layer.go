package library

import (
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/source"
)

// edition is a generation of a source with the state of its semantic layer.
type edition struct {
	generation *source.Generation
	layer      *semantic.Layer // nil: none is in force
	name       string
}

func (l *Library) editionOf(g *source.Generation) edition {
	e := edition{generation: g, name: g.Generation}
	if stamp := g.CorrectionsStamp(); stamp != "" {
		e.name += "+" + stamp
	}
	if l.cfg.Layers == nil {
		return e
	}
	if state, _ := l.cfg.Layers.Of(g.Name, g.SemanticDir()); state.Layer != nil {
		e.layer, e.name = state.Layer, e.name+"@"+state.ReadAt.UTC().Format(time.RFC3339Nano)
	}
	return e
}

// meaningsOf says what of a layer each table holds. What a layer names may be tables
// that are not there, and one name may be many tables, a country each.
func meaningsOf(layer *semantic.Layer, tables []*catalog.Table) retrieval.Meanings {
	if layer == nil {
		return nil
	}
	find := tablesByName(tables)
	out := retrieval.Meanings{}
	for _, s := range layer.Said() {
		m := retrieval.Meaning{
			Names: map[lang.Language]string{lang.English: s.Names.EN, lang.Chinese: s.Names.ZH}, Words: s.Words, Metric: s.Metric,
		}
		for at, read := range s.Reads {
			others, known := needsBut(at, s.Reads, find)
			if !known {
				continue
			}
			for _, t := range find(read.Table) {
				m.Needs = append([]retrieval.Need{{Any: []*catalog.Table{t}, Columns: read.Columns}}, others...)
				out[t] = append(out[t], m)
			}
		}
	}
	return out
}

// needsBut are what is needed of all tables but one, and whether they are there.
func needsBut(at int, reads []semantic.Read, find func(string) []*catalog.Table) (needs []retrieval.Need, known bool) {
	for of, other := range reads {
		if of == at {
			continue
		}
		tables := find(other.Table)
		if len(tables) == 0 {
			return nil, false
		}
		needs = append(needs, retrieval.Need{Any: tables, Columns: other.Columns})
	}
	return needs, true
}

// tablesByName returns what finds the tables that a layer's name means.
func tablesByName(tables []*catalog.Table) func(name string) []*catalog.Table {
	last := func(name string) string { return strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]) }
	byLast := make(map[string][]*catalog.Table)
	for _, t := range tables {
		byLast[last(t.Name.Table)] = append(byLast[last(t.Name.Table)], t)
		if manifest := last(t.Manifest); manifest != "" && manifest != last(t.Name.Table) {
			byLast[manifest] = append(byLast[manifest], t)
		}
	}
	known := make(map[string][]*catalog.Table)
	return func(name string) []*catalog.Table {
		found, done := known[name]
		if !done {
			for _, t := range byLast[last(name)] {
				if semantic.Matches(name, t) {
					found = append(found, t)
				}
			}
			known[name] = found
		}
		return found
	}
}
