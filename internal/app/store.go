package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/internal/state"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/small"
	"github.com/dibrain/dibrain/pkg/store/sqlite"
	"github.com/dibrain/dibrain/services/analysis"
	"github.com/dibrain/dibrain/services/router"
)

// sessionStore is what probes and metrics call the store of a router, where it is a
// server of its own.
const sessionStore = "session-store"

// analysisStore is what they call that of analyses.
const analysisStore = "analysis-store"

// maxDSNBytes bounds the file of a connection string: what is longer is another file.
const maxDSNBytes = 16 << 10

// closingStore is the router's store with its end.
type closingStore interface {
	router.Store
	Close() error
}

// openStore opens what the router keeps its state in. A database that is away delays
// nothing: the process is not ready until it is there.
func (a *App) openStore(ctx context.Context) (closingStore, error) {
	if a.config.Store.Kind != config.StorePostgres {
		return sqlite.Open(ctx, sqlite.Config{
			Dir: filepath.Join(a.config.DataDir, "router"), Clock: a.options.Clock, Log: a.options.Logger,
		})
	}
	c := Postgres(a.config.Store)
	c.Clock, c.Log = a.options.Clock, a.options.Logger
	return postgres.Open(ctx, c)
}

// openAnalyses opens what analyses are kept in: the same database, or a file.
func (a *App) openAnalyses(ctx context.Context) (analysis.Store, error) {
	if a.config.Store.Kind != config.StorePostgres {
		return analysis.OpenSQLite(a.config.DataDir), nil
	}
	c := Postgres(a.config.Store)
	c.Clock, c.Log = a.options.Clock, a.options.Logger
	return analysis.OpenPostgres(ctx, c)
}

// Names of the small stores where they are in a server of its own, for probes.
const (
	examplesStore    = "examples-store"
	preferencesStore = "preferences-store"
	expertStore      = "expert-store"
)

// openShared opens the tables that a service keeps in the store, for several processes; nil
// where each keeps a file of its own.
func (a *App) openShared(ctx context.Context, tables func(dataDir string) (small.Tables, error)) (small.Store, error) {
	if a.config.Store.Kind != config.StorePostgres {
		return nil, nil
	}
	s, err := OpenTables(ctx, a.config, a.options, tables)
	if err != nil {
		return nil, err
	}
	if kept, err := tables(a.config.DataDir); err == nil {
		if left, err := state.LeftFile(kept); err == nil && left != "" {
			a.options.Logger.WarnContext(ctx, "the store is in PostgreSQL, and its file of before is not read; stop, and let `dibrain migrate` bring it into the database, or move it away",
				"store", kept.Schema.Of, "file", left)
		}
	}
	return measuredSmall{s, a.meter, a.storeKind()}, nil
}

// OpenTables opens the tables that a service keeps where a configuration has them.
func OpenTables(ctx context.Context, cfg config.Config, o Options, tables func(dataDir string) (small.Tables, error)) (small.Store, error) {
	kept, err := tables(cfg.DataDir)
	if err != nil {
		return nil, err
	}
	if cfg.Store.Kind != config.StorePostgres {
		return kept.Open(ctx, nil)
	}
	o = o.complete()
	c := Postgres(cfg.Store)
	c.Clock, c.Log = o.Clock, o.Logger
	return kept.Open(ctx, &c)
}

// closeShared closes what a service that could not be made has not taken.
func closeShared(s small.Store) error {
	if s == nil {
		return nil
	}
	return s.Close()
}

// watchShared lets readiness tell of a service's tables in the store. Where the service does
// most of its work without them, it is degraded while the store is away.
func (a *App) watchShared(name string, s small.Store, goesOn bool, of service) {
	if s == nil {
		return
	}
	a.ready.add(name, func(ctx context.Context) error {
		err := s.Ready(ctx)
		if goesOn {
			return rpc.Degraded(err)
		}
		return err
	}, served(of)...)
}

// Postgres is the configuration of the store in PostgreSQL.
func Postgres(c config.Store) postgres.Config {
	return postgres.Config{
		DSN: storeDSN(c), MaxConnections: c.MaxConnections, ConnectTimeout: c.ConnectTimeout, Timeout: c.Timeout, Grace: c.Grace,
		Failures: c.Failures, ProbeAfter: c.ProbeAfter,
	}
}

// storeDSN returns what reads the connection string of the store.
func storeDSN(c config.Store) func() (string, error) {
	if c.DSNFile == "" {
		return func() (string, error) { return c.DSN.Reveal(), nil }
	}
	return func() (string, error) {
		raw, err := os.ReadFile(c.DSNFile)
		dsn := strings.TrimSpace(string(raw))
		if err == nil && dsn != "" && len(raw) <= maxDSNBytes && !strings.ContainsAny(dsn, "\r\n") {
			return dsn, nil
		}
		return "", fault.New(codes.FailedPrecondition, postgres.ReasonDSN,
			"The connection string of the store cannot be read: store.dsn_file has to hold it, alone, in one line.").
			ForOperator("%s", c.DSNFile).Because(err)
	}
}
