package demo

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// maxSampleDistinct is the most distinct values that a column may have to be
// sampled: with more it names things, and does not class them.
const maxSampleDistinct = 100

// snapshot returns the catalog without its tables. Texts in two languages are
// one text: "English / 中文", descriptions on two lines.
func (b *blueprint) snapshot() *catalog.Snapshot {
	s := &catalog.Snapshot{}
	for _, m := range b.marts {
		s.Marts = append(s.Marts, catalog.Mart{
			Name: m.Mart.Name, Description: m.Mart.Description + "\n" + m.Mart.DescriptionZH,
			Synonyms: m.Mart.Synonyms, Fallback: m.Mart.Fallback,
		})
		for _, t := range m.Glossary {
			t.Mart = m.Mart.Name
			s.Glossary = append(s.Glossary, t)
		}
		for _, r := range m.Rules {
			r.Mart = m.Mart.Name
			s.Rules = append(s.Rules, r)
		}
	}
	return s
}

// describe returns the catalog's entry of a table that was just written.
func (b *builder) describe(ctx context.Context, t table, all []table) (catalog.Table, error) {
	f := t.family
	described := catalog.Table{
		Name: t.name, Kind: catalog.KindTable,
		Description: t.fill(f.Description) + "\n" + t.fill(f.DescriptionZH),
		Mart:        t.mart.Mart.Name, Topic: f.Topic, Layer: f.Layer, Manifest: f.Manifest, Grain: f.Grain, Owner: t.mart.Owner,
		UpdatedAt:     b.updatedAt(f),
		QueryCount30d: max(1, int64(float64(f.Queries)*t.usage)),
	}
	if f.Dataset {
		described.Kind = catalog.KindDataset
	}
	if f.Per == perCountry {
		described.Country = t.countries[0].Code
	}
	if f.Successor != "" {
		if successor, ok := counterpart(f.Successor, t, all); ok {
			described.Successor = successor.String()
		}
	}
	for _, manifest := range f.Upstream {
		from := sharing(manifest, t, all)
		if len(from) == 0 {
			return described, fmt.Errorf("%s is made from the unknown %s", f.Manifest, manifest)
		}
		described.Upstream = append(described.Upstream, from...)
	}
	for _, c := range f.Columns {
		described.Columns = append(described.Columns, catalog.Column{
			Name: c.Name, Type: c.Type, Comment: t.fill(c.EN) + " / " + t.fill(c.ZH),
			PrimaryKey: c.Key, Partition: c.Partition, NotNull: c.Key || c.Partition,
		})
		if c.Ref == "" {
			continue
		}
		dot := strings.LastIndexByte(c.Ref, '.')
		ref, ok := counterpart(c.Ref[:dot], t, all)
		if !ok {
			return described, fmt.Errorf("column %s points to the unknown %s", c.Name, c.Ref)
		}
		described.ForeignKeys = append(described.ForeignKeys, catalog.ForeignKey{
			Columns: []string{c.Name}, RefTable: ref, RefColumns: []string{c.Ref[dot+1:]},
		})
	}
	err := b.measure(ctx, t, &described)
	return described, err
}

// counterpart returns the table of another family that has t's countries.
func counterpart(manifest string, t table, all []table) (catalog.Name, bool) {
	for _, other := range all {
		if other.family.Manifest == manifest && covers(other.countries, t.countries) {
			return other.name, true
		}
	}
	return catalog.Name{}, false
}

// sharing are the tables of another family that have a country of t.
func sharing(manifest string, t table, all []table) []catalog.Name {
	var names []catalog.Name
	for _, other := range all {
		if other.family.Manifest == manifest && slices.ContainsFunc(other.countries, func(c country) bool { return covers(t.countries, []country{c}) }) {
			names = append(names, other.name)
		}
	}
	return names
}

func covers(have, want []country) bool {
	codes := map[string]bool{}
	for _, c := range have {
		codes[c.Code] = true
	}
	for _, c := range want {
		if !codes[c.Code] {
			return false
		}
	}
	return true
}

// updatedAt is shortly after midnight of today in the asker's location, earlier
// for what is late or no longer filled; never later than Today.
func (b *builder) updatedAt(f *family) time.Time {
	day := b.cfg.day()
	switch {
	case f.StaleDays > 0:
		day = day.AddDate(0, 0, -f.StaleDays)
	case f.Late:
		day = day.AddDate(0, 0, -int(b.plan.fact("late", "days")))
	}
	ready := day.Add(time.Duration(f.ReadyMinute) * time.Minute)
	if ready.After(b.cfg.Today) {
		return b.cfg.Today
	}
	return ready
}

// measure fills in row count, distinct counts (HyperLogLog where above a
// hundred, so within some percent) and sample values.
func (b *builder) measure(ctx context.Context, t table, described *catalog.Table) error {
	exprs := []string{"count(*)"}
	for _, c := range t.family.Columns {
		exprs = append(exprs, "approx_count_distinct("+printer.Quote(c.Name)+")")
	}
	counts := make([]int64, len(exprs))
	into := make([]any, len(exprs))
	for i := range counts {
		into[i] = &counts[i]
	}
	row := b.conn.QueryRowContext(ctx, "SELECT "+strings.Join(exprs, ", ")+" FROM "+qualified(t.name))
	if err := row.Scan(into...); err != nil {
		return fmt.Errorf("count: %w", err)
	}
	described.RowCount = counts[0]
	for i, c := range t.family.Columns {
		described.Columns[i].Distinct = counts[i+1]
		if c.Type != "varchar" || c.Personal || counts[i+1] > maxSampleDistinct {
			continue
		}
		samples, err := b.samples(ctx, t, c)
		if err != nil {
			return fmt.Errorf("sample %s: %w", c.Name, err)
		}
		described.Columns[i].Samples = samples
		if len(samples) < b.cfg.MaxSamples {
			described.Columns[i].Distinct = int64(len(samples))
		}
	}
	return nil
}

// samples returns the distinct values of a text column in order.
func (b *builder) samples(ctx context.Context, t table, c column) (_ []string, err error) {
	rows, err := b.conn.QueryContext(ctx, fmt.Sprintf("SELECT DISTINCT %[1]s FROM %[2]s WHERE %[1]s IS NOT NULL ORDER BY 1 LIMIT %[3]d",
		printer.Quote(c.Name), qualified(t.name), b.cfg.MaxSamples))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // read to the end: its error is rows.Err
	var samples []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		samples = append(samples, s)
	}
	return samples, rows.Err()
}

// writeSemantic copies the embedded semantic layer into a new folder.
func writeSemantic(dir string) error {
	paths, err := fs.Glob(files, "data/semantic/*.yaml")
	if err != nil {
		return fmt.Errorf("list the demo's semantic layer: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of the demo's semantic layer: %w", err)
	}
	for _, path := range paths {
		text, err := files.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read the demo's %s: %w", path, err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), text, 0o600); err != nil {
			return fmt.Errorf("write the demo's semantic layer: %w", err)
		}
	}
	return nil
}
