package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/internal/state"
	"github.com/dibrain/dibrain/pkg/fault"
	results "github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/result/store/objects"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/small"
	"github.com/dibrain/dibrain/pkg/store/sqlite"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
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
	return postgres.Open(ctx, databaseOf(a.config.Store, a.options))
}

// openAnalyses opens what analyses are kept in: the same database, or a file.
func (a *App) openAnalyses(ctx context.Context) (analysis.Store, error) {
	if a.config.Store.Kind != config.StorePostgres {
		return analysis.OpenSQLite(a.config.DataDir), nil
	}
	return analysis.OpenPostgres(ctx, databaseOf(a.config.Store, a.options))
}

// Names of the small stores where they are in a server of its own, for probes.
const (
	examplesStore    = "examples-store"
	preferencesStore = "preferences-store"
	expertStore      = "expert-store"
)

// openShared opens the tables that a service keeps in the store, for several processes; nil
// where each keeps a file of its own. What the file of before holds would be missed, and could
// not be brought into the database any more once something is written there: where it is there
// still, the service does not start.
func (a *App) openShared(ctx context.Context, tables func(dataDir string) (small.Tables, error)) (small.Store, error) {
	if a.config.Store.Kind != config.StorePostgres {
		return nil, nil
	}
	kept, err := tables(a.config.DataDir)
	if err != nil {
		return nil, err
	}
	left, err := state.LeftFile(ctx, kept)
	if err != nil {
		return nil, fmt.Errorf("look for the file in which %s were kept: %w", kept.Schema.Of, err)
	}
	if left != "" {
		return nil, fault.New(codes.FailedPrecondition, state.ReasonOld, fmt.Sprintf(
			"The store is in PostgreSQL, and %s are in a file of before still, which nobody reads: run `dibrain migrate`, which brings it into the database, or move %s away.",
			kept.Schema.Of, left))
	}
	s, err := OpenTables(ctx, a.config, a.options, tables)
	if err != nil {
		return nil, err
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
	c := databaseOf(cfg.Store, o.complete())
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

// sharedResults says that chatbi keeps results where other processes of it find them.
func sharedResults(c config.Config) bool {
	return c.Store.Kind == config.StorePostgres && (c.Results.Kind == config.ResultsS3 || c.Results.Shared)
}

// openResults opens what the index of results is kept in, nil where that is a file; files
// are nil where the rows are beside it.
func (a *App) openResults(ctx context.Context) (db *postgres.Database, files results.Files, err error) {
	if files, err = ResultFiles(a.config, a.options.Clock, a.meter); err != nil {
		return nil, nil, err
	}
	if a.config.Store.Kind != config.StorePostgres {
		return nil, files, nil
	}
	schema, err := results.PostgresSchema()
	if err != nil {
		return nil, nil, err
	}
	db, err = postgres.OpenDatabase(ctx, databaseOf(a.config.Store, a.options), schema)
	return db, files, err
}

// ResultFiles returns where the rows of results are, nil for the folder of the data
// directory. Nothing is asked yet. m measures requests to object storage; nil: nobody does.
func ResultFiles(c config.Config, clock func() time.Time, m *meter.Set) (results.Files, error) {
	if c.Results.Kind != config.ResultsS3 {
		if c.Results.Directory == "" {
			return nil, nil
		}
		folder := results.Directory(c.Results.Directory)
		if c.Results.Shared {
			return results.SharedDirectory{Directory: folder}, nil
		}
		return folder, nil
	}
	s3 := c.Results.S3
	files, err := objects.New(objects.Config{
		Endpoint: s3.Endpoint, Bucket: s3.Bucket, Prefix: s3.Prefix, Region: s3.Region, PathStyle: s3.PathStyle, CAFile: s3.CAFile,
		Keys: resultKeys(s3), Encryption: s3.Encryption, KMSKey: s3.KMSKey, SpoolDir: s3.SpoolDir,
		AnswerTimeout: s3.AnswerTimeout, Timeout: s3.Timeout, UploadTimeout: s3.UploadTimeout,
		Attempts: s3.Attempts, Failures: s3.Failures, ProbeAfter: s3.ProbeAfter, Clock: clock, Meter: m,
	})
	if err != nil {
		return nil, misconfigured(fmt.Errorf("results.s3: %w", err))
	}
	return files, nil
}

// maxResultKeyBytes bounds the file of a key: what is longer is another file.
const maxResultKeyBytes = 4 << 10

// resultKeys returns what reads the key of object storage.
func resultKeys(c config.S3) func() (id, secret string, err error) {
	read := func(key, value, file string) (string, error) {
		if file == "" {
			return value, nil
		}
		raw, err := os.ReadFile(file)
		text := strings.TrimSpace(string(raw))
		if err == nil && text != "" && len(raw) <= maxResultKeyBytes && !strings.ContainsAny(text, "\r\n") {
			return text, nil
		}
		return "", fault.New(codes.FailedPrecondition, objects.ReasonKeys,
			"The key of the object storage with the rows of results cannot be read: "+key+"_file has to hold it, alone, in one line.").
			ForOperator("%s", file).Because(err)
	}
	return func() (id, secret string, err error) {
		if id, err = read("results.s3.access_key_id", c.AccessKeyID, c.AccessKeyIDFile); err != nil {
			return "", "", err
		}
		secret, err = read("results.s3.secret_access_key", c.SecretAccessKey.Reveal(), c.SecretAccessKeyFile)
		return id, secret, err
	}
}

// Postgres is the configuration of the store in PostgreSQL.
func Postgres(c config.Store) postgres.Config {
	return postgres.Config{
		DSN: storeDSN(c), MaxConnections: c.MaxConnections, ConnectTimeout: c.ConnectTimeout, Timeout: c.Timeout, Grace: c.Grace,
		Failures: c.Failures, ProbeAfter: c.ProbeAfter,
	}
}

// databaseOf says how a process reaches the store, with its clock and its log.
func databaseOf(c config.Store, o Options) postgres.Config {
	out := Postgres(c)
	out.Clock, out.Log = o.Clock, o.Logger
	return out
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
