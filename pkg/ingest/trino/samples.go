package trino

import (
	"context"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/personal"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

const (
	maxSampleRunes = 80 // longer values are texts, not names that people ask for
	frequentValues = 50 // kept of a column with too many distinct values
)

// samples reads distinct values of text columns, of tables whose number of rows is
// known and small enough. Columns that speak of personal data give none.
func (r *reader) samples(ctx context.Context) error {
	if !r.options.Samples {
		return nil
	}
	fits := func(c catalog.Column) bool {
		base := types.Parse(c.Type).Base
		return (base == "varchar" || base == "char") && (c.Personal == nil || personal.Asked(c.Personal.Kind))
	}
	small := r.fresh(stageSamples, r.small)
	left := &budget{values: r.options.MaxSourceSamples - r.samplesKept()}
	return r.within(ctx, stageSamples, "the sample values", small, func(ctx context.Context, t *entry) error {
		for i := range t.Columns {
			if c := &t.Columns[i]; fits(*c) {
				if err := r.sample(ctx, t, c, left); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// marks notes which data of persons columns hold, as their names tell.
func (r *reader) marks(context.Context) error {
	rules := personal.New(r.options.Personal)
	for _, t := range r.tables {
		t.OwnColumns()
		ofPersons := rules.OfPersons(t.Name.Table)
		for i := range t.Columns {
			c := &t.Columns[i]
			mark, keep := rules.ByName(ofPersons, c.Name)
			if c.Personal = mark; !keep {
				c.Samples = nil
			}
		}
	}
	return nil
}

// samplesKept counts the values that are there already.
func (r *reader) samplesKept() (n int) {
	for _, t := range r.tables {
		for i := range t.Columns {
			n += len(t.Columns[i].Samples)
		}
	}
	return n
}

// sample keeps all distinct values of a column where they are few enough, else
// the most frequent ones; the frequent come first.
func (r *reader) sample(ctx context.Context, t *entry, c *catalog.Column, left *budget) error {
	limit := r.options.MaxSamples + 1
	if c.Distinct > int64(r.options.MaxSamples) {
		limit = min(r.options.MaxSamples, frequentValues)
	}
	var values []string
	reader := run.Principal{ID: r.options.SamplesAs}
	padded := types.Parse(c.Type).Base == "char" // whose values Trino fills up with spaces, and compares without
	err := each(ctx, r.server, reader, meta.FrequentValues(t.stored, c.Name, maxSampleRunes, limit), r.options, func(row []any) {
		value := text(row, 0)
		if padded {
			value = strings.TrimRight(value, " ")
		}
		values = append(values, value)
	})
	if err != nil {
		return err
	}
	if prose(values) {
		return nil
	}
	if len(values) > r.options.MaxSamples {
		values = values[:min(r.options.MaxSamples, frequentValues)]
	}
	c.Samples = left.take(values)
	return nil
}

// budget of sample values of a source.
type budget struct {
	mu     sync.Mutex
	values int
}

func (b *budget) take(values []string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(max(b.values, 0), len(values))
	b.values -= n
	return values[:n:n]
}

// prose reports whether values are pieces of text, as in a column of remarks.
// Nobody asks for those by what they say, and their words are those of questions.
func prose(values []string) bool {
	const tenth = 10
	n := 0
	for _, v := range values {
		end := strings.TrimRightFunc(v, func(c rune) bool { return strings.ContainsRune(".!?。！？", c) })
		if strings.TrimSpace(v) != v || end != v && strings.Contains(end, " ") || strings.Contains(v, ". ") || strings.Count(v, " ") >= 7 {
			n++
		}
	}
	return n*tenth >= len(values) && n > 0
}
