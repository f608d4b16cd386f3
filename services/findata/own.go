package findata

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

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
	ownRecent        = 7 * 24 * time.Hour
)

// own is what the asker's own use says.
type own struct {
	tables map[string]float64 // for (above 0) or against a table, by catalog.Name.Key()
	// recent counts what the person did within ownRecent, by table as tables does.
	recent      map[string]float64
	preferences memory.Preferences
}

// ownUse reads it. Search goes on without where the store is out of order: that
// is logged for the operator, and the person's rpcs for preferences fail with it.
func (s *Service) ownUse(ctx context.Context, d *desk, question string) own {
	o := own{tables: make(map[string]float64), recent: make(map[string]float64)}
	person := run.From(ctx).Principal.ID
	if person == "" {
		return o
	}
	use, err := s.useOf(ctx, person, d.source)
	if err != nil {
		s.deps.Log.WarnContext(ctx, "search without the asker's own use", "error", err)
		return o
	}
	o.preferences = use.set
	if len(o.preferences.Marts) == 0 || o.preferences.Region == "" {
		o.preferences = complete(o.preferences, d.learn(use.entries))
	}
	asked := strings.ToLower(strings.TrimSpace(question))
	since := run.Now(ctx).Add(-ownRecent)
	for _, e := range use.entries {
		same := strings.ToLower(strings.TrimSpace(e.Question)) == asked
		key := strings.ToLower(e.Table)
		if (e.Kind == memory.Accepted || e.Kind == memory.Clicked) && e.At.After(since) {
			o.recent[key]++
		}
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
	o.tables = d.overFamilies(o.tables)
	return o
}

// overFamilies gives what somebody said of a table to its near twins too: of them one
// is shown, by the country, and what is said of it is said of all.
func (d *desk) overFamilies(tables map[string]float64) map[string]float64 {
	out := make(map[string]float64, len(tables))
	for key, value := range tables {
		name, err := catalog.ParseName(key)
		if err != nil {
			continue
		}
		t, ok := d.view.Lookup(name)
		if !ok {
			continue
		}
		for _, twin := range d.view.Family(t) {
			out[twin.Name.Key()] += value
		}
	}
	return out
}

// use is what is stored of a person, and its mark.
type use struct {
	mark    string
	set     memory.Preferences
	entries []memory.Entry
}

// useOf reads it, from the cache where nothing has changed since, at this process or at
// another.
func (s *Service) useOf(ctx context.Context, person, source string) (use, error) {
	key := userKey{person, source}
	mark, err := s.memory.Mark(ctx, person, source) // first: what comes between the two is read again
	if err != nil {
		return use{}, err
	}
	if have, ok := s.users.Get(key); ok && have.mark == mark {
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
	out := use{mark: mark, set: set, entries: entries}
	s.users.Put(key, out)
	return out, nil
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
	if err := s.memory.Add(ctx, person, d.source, question, names, kind); err != nil {
		return err
	}
	if kind == memory.Rejected {
		s.noteRejected(ctx, d.source, question, names)
	}
	s.deps.Meter.TablesJudged(ctx, string(kind), len(names))
	return nil
}

// learned is what is known of a person, for the person.
type learned struct {
	Now     memory.Preferences // set, and where nothing is set, learned
	Learned memory.Preferences // from use alone
	Use     memory.Figures
}

// preferences returns what the asker has set; what is not set is learned from the
// tables that they accepted and opened.
func (s *Service) preferences(ctx context.Context, source string) (learned, error) {
	d, err := s.open(ctx, source)
	if err != nil {
		return learned{}, err
	}
	defer d.release()
	person, err := personOf(ctx)
	if err != nil {
		return learned{}, err
	}
	stored, err := s.useOf(ctx, person, d.source)
	if err != nil {
		return learned{}, err
	}
	out := learned{Now: stored.set, Learned: d.learn(stored.entries)}
	if out.Use, err = s.memory.Use(ctx, person, d.source); err != nil {
		return learned{}, err
	}
	out.Now.Marts = slices.DeleteFunc(slices.Clone(out.Now.Marts), func(m string) bool { return !d.shows(m) })
	out.Now.Tables = slices.DeleteFunc(slices.Clone(out.Now.Tables), func(name string) bool { _, err := d.lookup(name); return err != nil })
	out.Now = complete(out.Now, out.Learned)
	return out, nil
}

// complete fills in what is not set.
func complete(set, from memory.Preferences) memory.Preferences {
	if len(set.Tables) == 0 {
		set.Tables = from.Tables
	}
	if len(set.Marts) == 0 {
		set.Marts = from.Marts
	}
	set.Region = cmp.Or(set.Region, from.Region)
	set.Grain = cmp.Or(set.Grain, from.Grain)
	return set
}

// What makes a country or a grain somebody's: so many uses, and such a share.
const (
	habitUses  = 3
	habitShare = 0.6
)

// learn reads preferences out of use: each table counts by what was done with it.
// Tables that are gone, or hidden since, tell nothing.
func (d *desk) learn(entries []memory.Entry) memory.Preferences {
	tables, marts, regions, grains := make(map[string]int), make(map[string]int), make(map[string]int), make(map[string]int)
	uses := 0
	for _, e := range entries {
		name, err := catalog.ParseName(e.Table)
		if err != nil || e.Kind != memory.Accepted && e.Kind != memory.Clicked {
			continue
		}
		t, ok := d.view.Lookup(name)
		if !ok {
			continue
		}
		uses++
		tables[t.Name.String()]++
		if t.Mart != "" {
			marts[t.Mart]++
		}
		if of := d.volume.Countries.Of(t); len(of) == 1 {
			regions[of[0]]++
		}
		if g := grainOf(t); g != "" {
			grains[g]++
		}
	}
	return memory.Preferences{
		Tables: mostUsed(tables, ownLearnedTables), Marts: mostUsed(marts, ownLearnedMarts),
		Region: habit(regions, uses), Grain: habit(grains, uses),
	}
}

// habit is what most uses have, "" where there is no such thing.
func habit(counts map[string]int, uses int) string {
	for _, name := range mostUsed(counts, 1) {
		if counts[name] >= habitUses && float64(counts[name]) >= habitShare*float64(uses) {
			return name
		}
	}
	return ""
}

// grainOf is the time grain that a table's name tells; "" where it tells none.
func grainOf(t *catalog.Table) string {
	grains := map[string]string{"1d": "daily", "di": "daily", "daily": "daily", "1w": "weekly", "weekly": "weekly", "1m": "monthly", "mi": "monthly", "monthly": "monthly", "1h": "hourly", "hi": "hourly", "hourly": "hourly"}
	for _, part := range strings.Split(strings.ToLower(t.Name.Table), "_") {
		if g, ok := grains[part]; ok {
			return g
		}
	}
	return ""
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

// recentUse is what the asker used within ownRecent: what they opened and took of
// answers, and, where the history of the source keeps persons, what they queried.
func (w *search) recentUse() map[string]float64 {
	if w.own.recent == nil || w.recentRead {
		return w.own.recent
	}
	w.recentRead = true
	if w.person == "" {
		return w.own.recent
	}
	since := w.now.Add(-ownRecent).UTC().Format(time.DateOnly)
	for t := range w.features {
		if t.Usage == nil {
			continue
		}
		for _, use := range t.Usage.Uses {
			if use.Day < since {
				break // the latest days stand first
			}
			if strings.EqualFold(use.User, w.person) {
				w.own.recent[t.Name.Key()] += float64(use.Queries)
			}
		}
	}
	return w.own.recent
}
