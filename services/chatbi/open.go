package chatbi

import (
	"context"
	"fmt"
	"log/slog"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse/measured"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
)

// embedded is what the embedded engines of a service share.
type embedded struct {
	launcher duckdb.Launcher
	room     *duckdb.Room
}

// openBy opens the engine that a source's generation names: DuckDB for one that
// holds its own data, Trino for one that says where its server is.
func openBy(c Config, shared embedded, note func(source string, c *trino.Config), log *slog.Logger, m *meter.Set) openEngine {
	return func(ctx context.Context, g *source.Generation) (warehouse.Engine, error) {
		switch g.Engine {
		case source.EngineDuckDB:
			return openDuckDB(ctx, c, g, shared, log, m)
		case source.EngineTrino:
			return openTrino(ctx, c, g, note, log, m)
		case source.EngineNone:
			return nil, fault.New(codes.FailedPrecondition, "SOURCE_WITHOUT_DATA",
				fmt.Sprintf("source %q describes its tables only: they can be found and SQL can be written for them, but nothing can run here", g.Name))
		}
		return nil, fault.New(codes.Unimplemented, "ENGINE_NOT_SUPPORTED",
			fmt.Sprintf("source %q is on the engine %q, which this version does not speak", g.Name, g.Engine))
	}
}

func openDuckDB(ctx context.Context, c Config, g *source.Generation, shared embedded, log *slog.Logger, m *meter.Set) (warehouse.Engine, error) {
	engine, err := duckdb.Open(ctx, duckdb.Config{
		Databases: g.DatabasePaths(), DefaultRegion: g.DefaultRegion, DefaultSchema: g.DefaultSchema,
		MemoryLimit: c.Engine.MemoryLimit, ProcessMemory: c.Engine.ProcessMemory, Threads: c.Engine.Threads,
		KeepIdle: c.Engine.KeepIdle, Launcher: shared.launcher, Room: shared.room, Log: log, Meter: m,
		Limits: warehouse.Limits{
			MaxConcurrent: c.Engine.MaxConcurrent, MaxPerPrincipal: c.Engine.MaxPerPrincipal,
			Timeout: c.Limits.Timeout, MaxRows: c.Limits.MaxRows, MaxBytes: c.Limits.MaxBytes,
		},
	})
	if err != nil {
		return nil, err
	}
	return measured.Engine(engine, m), nil
}

func openTrino(ctx context.Context, c Config, g *source.Generation, note func(source string, c *trino.Config), log *slog.Logger, m *meter.Set) (warehouse.Engine, error) {
	config := trino.ConfigOf(g)
	config.Limits = warehouse.Limits{
		MaxConcurrent: c.Trino.MaxConcurrent, MaxPerPrincipal: c.Trino.MaxPerPrincipal, QueueWait: c.Trino.QueueWait,
		Timeout: c.Limits.Timeout, MaxRows: c.Limits.MaxRows, MaxBytes: c.Limits.MaxBytes,
	}
	config.RetryTimeout, config.AnswerTimeout = c.Trino.RetryTimeout, c.Trino.AnswerTimeout
	config.ExchangeTimeout, config.MaxTokens = c.Trino.ExchangeTimeout, c.Trino.MaxTokens
	config.Failures, config.Pause = c.Trino.Failures, c.Trino.ProbeAfter
	config.Log, config.Meter = log, m
	note(g.Name, &config)
	engine, err := trino.OpenClusters(ctx, config)
	if err != nil {
		return nil, err
	}
	return measured.Engine(engine, m), nil
}
