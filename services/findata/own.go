package findata

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/findata/memory"
)

// What feedback counts in ranking, and how much of it is looked at.
const (
	ownEntries       = 500
	ownAccepted      = 1.0
	ownClicked       = 0.3
	ownRejected      = -1.0
	ownOtherQuestion = 0.3 // share of what counts for the same question
	ownLearnedMarts  = 5
	ownLearnedTables = 20
)

// own is what the asker's own use says.
type own struct {
	tables      map[string]float64 // for (above 0) or against a table, by catalog.Name.Key()
	preferences memory.Preferences
}

// ownUse reads it. Search goes on without where the store is out of order: that
// is logged for the operator, and the person's rpcs for preferences fail with it.
func (s *Service) ownUse(ctx context.Context, source, question string) own {
	o := own{tables: make(map[string]float64)}
	person := run.From(ctx).Principal.ID
	if person == "" {
		return o
	}
	use, err := s.useOf(ctx, person, source)
	if err != nil {
		s.deps.Log.WarnContext(ctx, "search without the asker's own use", "error", err)
		return o
	}
	o.preferences = use.set
	asked := strings.ToLower(strings.TrimSpace(question))
	for _, e := range use.entries {
		same := strings.ToLower(strings.TrimSpace(e.Question)) == asked
		key := strings.ToLower(e.Table)
		switch {
		case e.Kind == memory.Rejected && same:
			o.tables[key] += ownRejected
		case e.Kind == memory.Accepted && same:
			o.tables[key] += ownAccepted
		case e.Kind == memory.Accepted:
			o.tables[key] += ownAccepted * ownOtherQuestion
		case e.Kind == memory.Clicked && same:
			o.tables[key] += ownClicked
		}
	}
	return o
}

// use is what is stored of a person.
type use struct {
	set     memory.Preferences
	entries []memory.Entry
}

// useOf reads it, from the cache where nothing has changed since.
func (s *Service) useOf(ctx context.Context, person, source string) (use, error) {
	key := userKey{person, source}
	if have, ok := s.users.Get(key); ok {
		return have, nil
	}
	entries, err := s.memory.Recent(ctx, person, source, ownEntries)
	if err != nil {
		return use{}, err
	}
	set, _, err := s.memory.Preferences(ctx, person, source)
	if err != nil {
		return use{}, err
	}
	out := use{set: set, entries: entries}
	s.users.Put(key, out)
	return out, nil
}

// changed forgets what was read of a person.
func (s *Service) changed(person, source string) {
	s.users.Drop(func(k userKey) bool { return k == userKey{person, source} })
}

// feedback stores what a person did with tables. Tables that the person cannot
// see are refused as those that do not exist are.
func (s *Service) feedback(ctx context.Context, source, question string, tables []string, kind memory.Kind) error {
	d, err := s.open(ctx, source)
	if err != nil {
		return err
	}
	defer d.release()
	person, err := personOf(ctx)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(tables))
	for _, written := range tables {
		t, err := d.lookup(written)
		if err != nil {
			return err
		}
		names = append(names, t.Name.String())
	}
	defer s.changed(person, d.source) // also where only a part was written
	if err := s.memory.Add(ctx, person, d.source, question, names, kind); err != nil {
		return err
	}
	s.meters.judged(ctx, kind, len(names))
	return nil
}

// preferences returns what the asker has set; what is not set is learned from
// the tables that they accepted.
func (s *Service) preferences(ctx context.Context, source string) (memory.Preferences, error) {
	d, err := s.open(ctx, source)
	if err != nil {
		return memory.Preferences{}, err
	}
	defer d.release()
	person, err := personOf(ctx)
	if err != nil {
		return memory.Preferences{}, err
	}
	p, _, err := s.memory.Preferences(ctx, person, d.source)
	if err != nil {
		return p, err
	}
	entries, err := s.memory.Recent(ctx, person, d.source, ownEntries)
	if err != nil {
		return p, err
	}
	tables, marts := make(map[string]int), make(map[string]int)
	for _, e := range entries {
		t, err := d.lookup(e.Table)
		if e.Kind != memory.Accepted || err != nil { // gone, or hidden since
			continue
		}
		tables[t.Name.String()]++
		if t.Mart != "" {
			marts[t.Mart]++
		}
	}
	p.Tables = slices.DeleteFunc(p.Tables, func(name string) bool { _, err := d.lookup(name); return err != nil })
	if len(p.Tables) == 0 {
		p.Tables = mostUsed(tables, ownLearnedTables)
	}
	if len(p.Marts) == 0 {
		p.Marts = mostUsed(marts, ownLearnedMarts)
	}
	return p, nil
}

func (s *Service) setPreferences(ctx context.Context, source string, p memory.Preferences) (memory.Preferences, error) {
	d, err := s.open(ctx, source)
	if err != nil {
		return p, err
	}
	defer d.release()
	person, err := personOf(ctx)
	if err != nil {
		return p, err
	}
	for i, written := range p.Tables {
		t, err := d.lookup(written)
		if err != nil {
			return p, err
		}
		p.Tables[i] = t.Name.String()
	}
	defer s.changed(person, d.source)
	return p, s.memory.SetPreferences(ctx, person, d.source, p)
}

func mostUsed(counts map[string]int, limit int) []string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return names[:min(len(names), limit)]
}

func personOf(ctx context.Context) (string, error) {
	if id := run.From(ctx).Principal.ID; id != "" {
		return id, nil
	}
	return "", fault.Invalid("principal", "PRINCIPAL_MISSING", "nobody is signed in: feedback and preferences belong to a person")
}

// lookup returns a visible table by name; the error has near matches.
func (d *desk) lookup(written string) (*catalog.Table, error) {
	name, err := catalog.ParseName(written)
	if err != nil {
		return nil, fault.Invalid("tables", "TABLE_NAME_INVALID", "%v", err)
	}
	if t, ok := d.view.Lookup(name); ok {
		return t, nil
	}
	near := d.view.Near(name, 3)
	e := fault.NotFound("TABLE_UNKNOWN", "there is no table %s in source %s", written, d.source)
	if len(near) > 0 {
		var names []string
		for _, n := range near {
			names = append(names, n.String())
		}
		e.Message += "; near: " + strings.Join(names, ", ")
		e.Meta = map[string]string{"near": strings.Join(names, ",")}
	}
	return nil, e
}
