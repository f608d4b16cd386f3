package trino

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/stored"
	"github.com/dibrain/dibrain/pkg/source"
)

// Before is what is known of a server from earlier ingests; the zero value: nothing.
type Before struct {
	// Snapshot has the tables of the generation before; nil: there is none.
	Snapshot *catalog.Snapshot
	// Profile is source.Manifest.Profile of it: by which options its details were
	// found. By others, they are found anew.
	Profile string

	journal *journal
	places  map[string][]place // by cluster
}

// profile tells apart the options by which details are found, and who read the
// values: what one has left out, for privacy too, must not come back from a
// generation before, nor what somebody with other rights read.
func (o Options) profile() string {
	personal := slices.Sorted(slices.Values(o.Personal))
	text := fmt.Sprintf("%s %t %t %q %q %d %d %d",
		Version, o.NoStatistics, o.Samples, o.SamplesAs, personal, o.MaxSampleRows, o.MaxSamples, o.MaxSourceSamples)
	if len(o.Described) > 0 {
		var h stored.Hasher
		text += fmt.Sprintf(" described %x", h.SumWords(&catalog.Snapshot{Tables: o.Described}))
	}
	if o.samplesBy != "" {
		text += fmt.Sprintf(" by %q", o.samplesBy)
	}
	return fmt.Sprintf("%x", xxhash.Sum64String(text))
}

// job tells apart ingests that may go on from each other's journal.
func (o Options) job(c source.TrinoConnection) string {
	var places []string
	for _, region := range slices.Sorted(maps.Keys(o.Regions)) {
		places = append(places, fmt.Sprintf("%q=%q", region, o.Regions[region]))
	}
	return fmt.Sprintf("%d %s %q %q %q %q %q %q %q", stored.Version, o.profile(), servers(c), c.User, o.Catalogs, places, o.Schemas, o.Include, o.Exclude)
}

// servers are the addresses of a connection.
func servers(c source.TrinoConnection) string {
	all := c.URL
	for _, name := range slices.Sorted(maps.Keys(c.Clusters)) {
		all += " " + name + "=" + c.Clusters[name].URL
	}
	return all
}

// sameShape reports whether the server says the same of two tables: what is found
// by looking into them does not count.
func sameShape(a, b *catalog.Table) bool {
	return a.Kind == b.Kind && a.Description == b.Description && slices.EqualFunc(a.Columns, b.Columns, func(x, y catalog.Column) bool {
		return x.Name == y.Name && x.Type == y.Type && x.Comment == y.Comment
	})
}

// reuse gives the tables that are as they were the details that were found then,
// where those are young enough: they are not looked into again.
func (r *reader) reuse() {
	young := r.options.Clock().Add(-r.options.ProfileAge)
	old := make(map[string]*catalog.Table)
	if r.before.Snapshot != nil && r.before.Profile == r.options.profile() && !r.options.Full {
		for i := range r.before.Snapshot.Tables {
			t := &r.before.Snapshot.Tables[i]
			old[t.Name.Key()] = t
		}
	}
	for _, t := range r.tables {
		if t.kept {
			continue
		}
		if p, ok := r.before.journal.doneBefore(&t.Table); ok {
			t.Table, t.stage = p.table, p.stage
			continue
		}
		if was := old[t.Name.Key()]; was != nil && was.ProfiledAt.After(young) && sameShape(was, &t.Table) {
			t.takeDetails(was)
			t.stage = stagesDone
		}
	}
}

// takeDetails takes over what was found by looking into the table.
func (t *entry) takeDetails(was *catalog.Table) {
	t.RowCount, t.ForeignKeys, t.ProfiledAt = was.RowCount, was.ForeignKeys, was.ProfiledAt
	for i := range t.Columns {
		c, o := &t.Columns[i], &was.Columns[i]
		c.PrimaryKey, c.Distinct, c.Samples = o.PrimaryKey, o.Distinct, o.Samples
		c.Partition = c.Partition || o.Partition
	}
}

// forgetSamples drops values that were read by other options, or by somebody with
// other rights.
func (t *entry) forgetSamples() {
	t.OwnColumns()
	for i := range t.Columns {
		t.Columns[i].Samples = nil
	}
}

// settle notes which tables have all their details, and drops the keys that point
// to what is no more.
func (r *reader) settle() {
	now := r.options.Clock().UTC().Truncate(time.Second)
	there := make(map[string]*entry, len(r.tables))
	for _, t := range r.tables {
		there[t.Name.Key()] = t
	}
	for _, t := range r.tables {
		if !t.kept && !t.missed && t.ProfiledAt.IsZero() {
			t.ProfiledAt = now
		}
		t.ForeignKeys = slices.DeleteFunc(slices.Clone(t.ForeignKeys), func(k catalog.ForeignKey) bool {
			to := there[k.RefTable.Key()]
			return to == nil || slices.ContainsFunc(k.RefColumns, func(c string) bool {
				return !slices.ContainsFunc(to.Columns, func(o catalog.Column) bool { return strings.EqualFold(o.Name, c) })
			})
		})
		if len(t.ForeignKeys) == 0 {
			t.ForeignKeys = nil
		}
	}
}
