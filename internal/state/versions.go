// Package state does what operators do with all that a deployment keeps: it tells and raises
// the versions of the stores, and takes backups of them and brings them back.
package state

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/auth/tokenstore"
	results "github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/store/lazy"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/schema"
	"github.com/dibrain/dibrain/pkg/store/small"
	"github.com/dibrain/dibrain/pkg/store/sqlite"
	"github.com/dibrain/dibrain/services/analysis"
	"github.com/dibrain/dibrain/services/findata/memory"
	"github.com/dibrain/dibrain/services/knowledge"
	"github.com/dibrain/dibrain/services/text2sql/examples"
)

// Kept is a store whose tables have versions.
type Kept struct {
	Name  string // what it holds, such as "sessions"
	Place string // its file below the data directory, or "PostgreSQL"
	// Have is the version that is there, 0 where nothing is; Known is that of this program.
	Have, Known int64
	// Pending names the migrations that would be done, the first first.
	Pending []string
	// Takes is a file below the data directory that the store was kept in before it was in
	// PostgreSQL, and that Migrate brings there; empty: there is none.
	Takes string
}

// ReasonOld is the reason of what cannot be done before Migrate: a store is of an earlier
// version, or a file of before has what belongs into the database.
const ReasonOld = "STORE_OLD"

// kept is a store with what can be done to it.
type kept struct {
	name, place string
	migrations  fs.FS
	have        func(context.Context) (int64, error)
	raise       func(context.Context) error
	// writeOut brings into the tables what a process that died left beside them; nil: nothing is
	// left so.
	writeOut func(context.Context) error
	path     string           // of its SQLite file
	schema   *postgres.Schema // of its tables in PostgreSQL
	prefix   string           // of their names, before those of the file
	left     string           // file of before, where it is there still
	takeOver func(context.Context) error
}

// stores are those of a configuration.
func stores(ctx context.Context, cfg config.Config, postgresConfig postgres.Config) ([]kept, error) {
	var all []kept
	moved, err := smallTables(cfg.DataDir)
	if err != nil {
		return nil, err
	}
	embedded := func(name string, c lazy.Config, raise func(context.Context) error) {
		place, err := filepath.Rel(cfg.DataDir, c.Path)
		if err != nil {
			place = c.Path
		}
		if raise == nil {
			raise = func(ctx context.Context) error {
				f := lazy.New(c)
				_, err := f.Open(ctx, false)
				return errors.Join(err, f.Close())
			}
		}
		all = append(all, kept{name: name, place: filepath.ToSlash(place), migrations: c.Migrations, have: func(ctx context.Context) (int64, error) {
			have, _, err := c.Version(ctx)
			return have, err
		}, raise: raise, path: c.Path})
	}
	if cfg.Store.Kind == config.StorePostgres {
		schemas, err := Schemas()
		if err != nil {
			return nil, err
		}
		for _, s := range schemas {
			var prefix, left string
			var take func(context.Context) error
			if i := slices.IndexFunc(moved, func(t small.Tables) bool { return t.Schema.Of == s.Of }); i >= 0 {
				prefix = moved[i].Prefix
				if left, err = LeftFile(ctx, moved[i]); err != nil {
					return nil, err
				}
				if rel, err := filepath.Rel(cfg.DataDir, left); left != "" && err == nil {
					left = filepath.ToSlash(rel)
				}
				take = func(ctx context.Context) error {
					return takeOver(ctx, moved[i], postgresConfig)
				}
			}
			all = append(all, kept{name: s.Of, place: "PostgreSQL", prefix: prefix, left: left, takeOver: take, migrations: s.Migrations, have: func(ctx context.Context) (int64, error) {
				return postgres.Inspect(ctx, postgresConfig, s)
			}, raise: func(ctx context.Context) error {
				db, err := postgres.OpenDatabase(ctx, postgresConfig, s)
				if err != nil {
					return err
				}
				return errors.Join(db.Ready(ctx), db.Close())
			}, schema: &s})
		}
	} else {
		dir := filepath.Join(cfg.DataDir, "router")
		open := func(ctx context.Context) error {
			s, err := sqlite.Open(ctx, sqlite.Config{Dir: dir, Log: postgresConfig.Log})
			if err != nil {
				return err
			}
			return s.Close()
		}
		embedded("sessions", lazy.Config{Path: filepath.Join(dir, sqlite.FileName), Migrations: sqlite.Migrations()}, open)
		all[len(all)-1].writeOut = open
		embedded("analyses", analysis.SQLiteFile(cfg.DataDir), nil)
		embedded("API tokens", tokenstore.SQLiteFile(cfg.DataDir), nil)
		for _, t := range moved {
			embedded(t.Schema.Of, t.File, nil)
		}
	}
	return all, nil
}

// Schemas are the tables in PostgreSQL of all that is kept there.
func Schemas() ([]postgres.Schema, error) {
	analyses, err := analysis.PostgresSchema()
	if err != nil {
		return nil, err
	}
	tokens, err := tokenstore.Schema()
	if err != nil {
		return nil, err
	}
	shared, err := results.PostgresSchema()
	if err != nil {
		return nil, err
	}
	all := []postgres.Schema{postgres.SessionSchema(), analyses, tokens, shared}
	moved, err := smallTables("")
	for _, t := range moved {
		all = append(all, t.Schema)
	}
	return all, err
}

// smallTables are those of the services that keep little.
func smallTables(dataDir string) ([]small.Tables, error) {
	var all []small.Tables
	for _, of := range []func(string) (small.Tables, error){memory.Tables, examples.Tables, knowledge.SessionTables} {
		t, err := of(dataDir)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// Versions tells which versions the stores have. Nothing is made or changed. A store of a newer
// version that this program cannot work with is an error.
func Versions(ctx context.Context, cfg config.Config, db postgres.Config) ([]Kept, error) {
	all, err := stores(ctx, cfg, db)
	if err != nil {
		return nil, err
	}
	return versions(ctx, all)
}

func versions(ctx context.Context, all []kept) ([]Kept, error) {
	list := make([]Kept, len(all))
	for i, k := range all {
		migrations, err := schema.Migrations(k.migrations)
		if err != nil {
			return nil, err
		}
		list[i] = Kept{Name: k.name, Place: k.place, Takes: k.left}
		if list[i].Have, err = k.have(ctx); err != nil {
			return nil, err
		}
		for _, m := range migrations {
			list[i].Known = max(list[i].Known, m.Version)
			if m.Version > list[i].Have {
				list[i].Pending = append(list[i].Pending, m.Name)
			}
		}
	}
	return list, nil
}

// Migrate brings the stores that are there up to date, each all of it or nothing, and returns
// what it found and did, as Versions told it before. A file that is not there is made by who
// first writes to it; the tables of a database are made, and what their service kept in a file
// before is brought there. What a process that was killed has not written into the tables is there
// afterwards.
func Migrate(ctx context.Context, cfg config.Config, db postgres.Config) ([]Kept, error) {
	all, err := stores(ctx, cfg, db)
	if err != nil {
		return nil, err
	}
	before, err := versions(ctx, all)
	if err != nil {
		return nil, err
	}
	for i, k := range before {
		do := all[i].raise
		if len(k.Pending) == 0 {
			do = all[i].writeOut
		}
		if k.Takes != "" { // makes the tables too
			do = all[i].takeOver
		}
		if do == nil || k.Have == 0 && k.Place != "PostgreSQL" {
			continue
		}
		if err := do(ctx); err != nil {
			return before[:i], err
		}
	}
	return before, nil
}
