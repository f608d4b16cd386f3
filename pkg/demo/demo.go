// Package demo makes the demo warehouse: a mid-size e-commerce company, "Demo
// Shop", that sells in Singapore, Indonesia, Malaysia, Thailand, Vietnam, the
// Philippines, Taiwan and Brazil, and keeps its data in two data centres.
//
// Everything that describes the company is data: countries, categories, planted
// facts, marts, table families, glossary and rules are YAML files in data/, the
// semantic layer is YAML in data/semantic/, and the figures are drawn by the SQL
// in sql/. The Go code reads them, runs the SQL in DuckDB set by set, copies each
// table family into its physical tables (one a country, or one a data centre)
// and writes the catalog that describes them. No figure comes from a random
// source: each is a hash of what it belongs to, so the same day gives the same
// warehouse on every machine.
//
// docs/demo.md lists what is in it; a test keeps that page and this code in step.
package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/source"
)

// Name is the source's name in a data directory.
const Name = "demo"

// Version of the generator. Whoever changes a figure, a table or a word of the
// metadata raises it: warehouses made by another version are made again.
const Version = "9"

// Defaults and limits of Config.
const (
	DefaultScale         = 1.0
	TinyScale            = 0.05 // same tables and facts in well under a second of work, for tests
	MinScale             = 0.01
	MaxScale             = 10.0
	DefaultMemoryLimitMB = 1024
	DefaultThreads       = 2
	DefaultMaxSamples    = 100
)

// Config says which demo warehouse to make. The zero value of each field but
// Today means its default.
type Config struct {
	// Today is the asker's day, in the asker's location. The data ends the day
	// before: as in real companies, a day is there when it is over.
	Today time.Time
	// Scale multiplies the number of orders, visitors and users, MinScale to
	// MaxScale. 1 gives about 1.4 million rows.
	Scale float64
	// MemoryLimitMB bounds the memory of the DuckDB instance that makes the files.
	MemoryLimitMB int
	// Threads bounds its worker threads.
	Threads int
	// MaxSamples bounds the sample values kept for one column.
	MaxSamples int
}

// Complete returns a copy with defaults filled in, or an error that names the
// field that is out of bounds.
func (c Config) Complete() (Config, error) {
	if c.Today.IsZero() {
		return c, errors.New("demo: Config.Today is not set: pass the current time")
	}
	if c.Scale == 0 {
		c.Scale = DefaultScale
	}
	if c.Scale < MinScale || c.Scale > MaxScale {
		return c, fmt.Errorf("demo: Config.Scale is %g: use a number from %g to %g", c.Scale, MinScale, MaxScale)
	}
	for _, f := range []struct {
		name  string
		value *int
		byDef int
	}{
		{"MemoryLimitMB", &c.MemoryLimitMB, DefaultMemoryLimitMB},
		{"Threads", &c.Threads, DefaultThreads},
		{"MaxSamples", &c.MaxSamples, DefaultMaxSamples},
	} {
		if *f.value == 0 {
			*f.value = f.byDef
		}
		if *f.value < 0 {
			return c, fmt.Errorf("demo: Config.%s is %d: use a positive number", f.name, *f.value)
		}
	}
	return c, nil
}

// day is Today as a calendar day: midnight in Today's location.
func (c Config) day() time.Time {
	y, m, d := c.Today.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, c.Today.Location())
}

// version names the generator and what of Config changes the rows.
func (c Config) version() string { return fmt.Sprintf("%s scale=%g", Version, c.Scale) }

// Progress is told what is being made: done of total steps, and the step's name.
type Progress func(done, total int, what string)

// Make writes the warehouse of cfg into dir, which must exist and be empty: a
// DuckDB file for each data centre and the folder semantic/. It returns the
// manifest and the catalog of what it wrote. On error the content of dir is of
// no use.
func Make(ctx context.Context, dir string, cfg Config) (source.Manifest, *catalog.Snapshot, error) {
	return makeIn(ctx, dir, cfg, func(int, int, string) {})
}
