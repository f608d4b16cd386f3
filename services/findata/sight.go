package findata

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/findata/cache"
	"github.com/dibrain/dibrain/services/findata/library"
)

// sight is a generation of a source as all askers with the same rights see it. It
// never changes.
type sight struct {
	key    sightKey
	volume *library.Volume // with what is hidden taken out of its corpus
	view   *catalog.View
	tables []*catalog.Table                  // visible ones, by name
	less   map[*catalog.Table]*catalog.Table // tables of which less is seen: what is
	count  map[string]int                    // visible tables by mart
	locked map[*catalog.Table]bool           // hidden ones whose name may be told

	docs    *pagesOnce                              // the catalog's own documents
	hidden  *secretsOnce                            // names that no text may have
	cleaned *cache.Cache[cleanedKey, catalog.Table] // tables as they are shown; nil: not kept
}

// sightKey says what a sight and all that is cached of it depend on. Without rights
// nothing may be cached: who sees what is asked anew each time.
type sightKey struct {
	source, generation string // generation: the index's, library.Volume.Edition
	rights             string // policy.Grants.Fingerprint; "" where it is not known
}

// cacheable reports whether what was computed may be given to another asker with
// the same key.
func (k sightKey) cacheable() bool { return k.rights != "" }

// everybody are the rights where there is no policy.
const everybody = "everybody"

// sightOf returns the sight of an asker, made once for all with the same rights.
func (s *Service) sightOf(asker run.Principal, v *library.Volume, grants *policy.Grants) *sight {
	key := sightKey{source: v.Manifest.Name, generation: v.Edition}
	switch {
	case s.deps.Permission != nil:
	case grants == nil:
		key.rights = everybody
	default:
		key.rights = grants.Fingerprint()
	}
	if have, ok := s.sights.Get(key); ok && have.of(v) && key.cacheable() {
		return have
	}
	s.forget(key)
	made := s.newSight(key, asker, v, grants)
	if key.cacheable() {
		s.sights.Put(key, made)
	}
	return made
}

// of reports whether a sight was made of a volume.
func (t *sight) of(v *library.Volume) bool { return t.volume.Index == v.Index }

func (s *Service) newSight(key sightKey, asker run.Principal, v *library.Volume, grants *policy.Grants) *sight {
	out := &sight{key: key, volume: v, view: v.Index.All(), count: make(map[string]int), less: make(map[*catalog.Table]*catalog.Table), locked: make(map[*catalog.Table]bool), cleaned: s.cleaned,
		docs: &pagesOnce{}, hidden: &secretsOnce{}}
	if grants != nil || s.deps.Permission != nil {
		visible := make(map[*catalog.Table]bool)
		for _, t := range v.Index.All().Tables() {
			if (grants == nil || grants.Access(t.Name).Permits(t)) && (s.deps.Permission == nil || s.deps.Permission(asker, key.source, t)) {
				visible[t] = true
			} else if s.config().HiddenTables == HiddenLock {
				out.locked[t] = true
			}
		}
		out.view = v.Index.Restrict(func(t *catalog.Table) bool { return visible[t] })
	}
	out.tables = out.view.Tables()
	for _, t := range out.tables {
		out.count[t.Mart]++
		if grants != nil {
			if shown := grants.Access(t.Name).Visible(t); shown != t {
				out.less[t] = shown
			}
		}
	}
	if grants != nil || s.deps.Permission != nil {
		seen := *v
		d := &desk{sight: out}
		seen.Corpus = v.Corpus.Through(retrieval.Sight{Visible: d.readable, Permitted: out.view.Visible})
		seen.Countries = v.Countries.Through(d.visible)
		out.volume = &seen
	}
	return out
}

// forget drops what was cached of other generations of a source.
func (s *Service) forget(now sightKey) {
	stale := func(k sightKey) bool { return k.source == now.source && k.generation != now.generation }
	s.sights.Drop(stale)
	s.found.Drop(func(k foundKey) bool { return stale(k.sight) })
	s.cleaned.Drop(func(k cleanedKey) bool { return stale(k.sight) })
}

// foundKey is what the candidates for a question depend on.
type foundKey struct {
	sight             sightKey
	text, mart, rules string
	countries         string // asked for
}

// cleanedKey is what a table as it is shown depends on.
type cleanedKey struct {
	sight sightKey
	table string
}

// userKey is what a person's own use depends on.
type userKey struct{ person, source string }

// shows reports whether the asker sees any table of a mart.
func (t *sight) shows(mart string) bool { return t.count[mart] > 0 }

// marts returns the marts with a visible table; the others do not exist for the
// asker.
func (d *desk) marts() (marts []catalog.Mart, count map[string]int) {
	for _, m := range d.volume.Index.Snapshot().Marts {
		if d.count[m.Name] > 0 {
			m.Description = d.text(m.Description)
			m.Synonyms = slices.Clone(m.Synonyms)
			marts = append(marts, m)
		}
	}
	return marts, d.count
}
