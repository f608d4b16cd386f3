// Package load copies the demo warehouse into a Trino server and makes a source of
// it there, so that the same questions run on the embedded engine and on Trino.
//
//	DuckDB files of the demo -> rows as JSON -> INSERT … SELECT … UNNEST, some
//	thousand rows a statement -> the demo's catalog and semantic layer, unchanged
//
// Tables that it makes carry a mark in their comment. It replaces tables with the
// mark and touches no others.
package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
)

// Origin of the manifests that this package makes.
const Origin = "demo"

// mark ends the comment of every table that this package makes.
const mark = "(demo of dibrain)"

// Options of a load.
type Options struct {
	// Concurrency is how many tables are filled at a time; 0 means 3.
	Concurrency int
	// Timeout of one statement; 0 means 5 minutes.
	Timeout time.Duration
	// Progress is told of the rows that are there, from one goroutine at a time.
	Progress func(done, total int, what string)
}

func (o Options) complete() Options {
	if o.Concurrency <= 0 {
		o.Concurrency = 3
	}
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Minute
	}
	if o.Progress == nil {
		o.Progress = func(int, int, string) {}
	}
	return o
}

// Report tells what a load did.
type Report struct {
	Tables int
	Rows   int64
}

// Load copies the generation g of the demo into the places that connection maps
// its regions to, and makes the source name of them. Errors: those of reaching the
// server; DEMO_REGION_MISSING; DEMO_TABLE_TAKEN where a table of somebody else's
// is in the way; DEMO_NOT_LOADED with what the server said.
func Load(ctx context.Context, store *source.Store, name string, g *source.Generation, connection source.TrinoConnection, options Options) (Report, error) {
	var report Report
	options = options.complete()
	for region := range g.Databases {
		if _, ok := connection.Regions[region]; !ok {
			return report, fault.Invalid("regions", "DEMO_REGION_MISSING", "the demo's data centre %q has no catalog: map each of %s", region, regionsOf(g))
		}
	}
	_, err := store.Make(ctx, name, func(ctx context.Context, dir string) (_ source.Manifest, _ *catalog.Snapshot, err error) {
		l, err := open(ctx, g, connection, options)
		if err != nil {
			return source.Manifest{}, nil, err
		}
		defer func() { err = errors.Join(err, l.close()) }()
		if err := l.load(ctx); err != nil {
			return source.Manifest{}, nil, explain(ctx, err)
		}
		report = Report{Tables: len(l.tables), Rows: l.done}
		if err := copySemantic(g, dir); err != nil {
			return source.Manifest{}, nil, fmt.Errorf("copy the demo's semantic layer: %w", err)
		}
		m := g.Manifest
		m.Engine, m.Databases, m.Trino, m.Origin = source.EngineTrino, nil, &connection, Origin
		m.SamplesBy = connection.User
		if connection.Impersonate {
			m.SamplesBy = Origin // the demo's values are made up, so everybody may see them
		}
		m.CreatedAt = time.Time{}
		return m, l.snapshot, nil
	})
	return report, err
}

func regionsOf(g *source.Generation) string {
	names := make([]string, 0, len(g.Databases))
	for region := range g.Databases {
		names = append(names, region)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func copySemantic(g *source.Generation, dir string) error {
	if g.SemanticDir() == "" {
		return nil
	}
	return os.CopyFS(filepath.Join(dir, filepath.Base(g.SemanticDir())), os.DirFS(g.SemanticDir()))
}

// explain labels what the server said. The caller's own end stays what it is.
func explain(ctx context.Context, err error) error {
	var own *fault.Error
	if errors.As(err, &own) || ctx.Err() != nil {
		return err
	}
	return fault.New(codes.Unavailable, "DEMO_NOT_LOADED", "the demo could not be loaded: "+err.Error()).Because(err)
}
