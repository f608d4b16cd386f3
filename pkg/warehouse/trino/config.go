package trino

import (
	"log/slog"
	"time"

	"github.com/dibrain/dibrain/pkg/source"
)

// Config of an Engine.
type Config struct {
	// Connection says how the server is reached.
	Connection source.TrinoConnection
	// DefaultRegion and DefaultSchema complete names of fewer than three parts.
	DefaultRegion string
	DefaultSchema string
	// MaxConcurrent statements of this process; 0 means 16. A statement over the
	// bound waits QueueWait (0 means 10 s), then fails with RESOURCE_EXHAUSTED.
	MaxConcurrent int
	QueueWait     time.Duration
	// Timeout of a statement, queued or running; 0 means 5 minutes.
	Timeout time.Duration
	// MaxRows and MaxBytes bound every result; 0 means 100,000 and 64 MiB.
	MaxRows  int64
	MaxBytes int64
	// RetryTimeout bounds how long one request is tried again where the server,
	// or what stands before it, says that it is busy or starting; 0 means 10 s.
	RetryTimeout time.Duration
	// Log gets warnings for the operator; nil means slog.Default().
	Log *slog.Logger
}

// ConfigOf is the configuration of a source's generation, with the engine's own
// limits. The generation's engine is trino.
func ConfigOf(g *source.Generation) Config {
	return Config{Connection: *g.Trino, DefaultRegion: g.DefaultRegion, DefaultSchema: g.DefaultSchema}
}

func (c Config) withDefaults() Config {
	if c.MaxConcurrent <= 0 {
		c.MaxConcurrent = 16
	}
	if c.QueueWait <= 0 {
		c.QueueWait = 10 * time.Second
	}
	if c.Timeout <= 0 {
		c.Timeout = 5 * time.Minute
	}
	if c.MaxRows <= 0 {
		c.MaxRows = 100_000
	}
	if c.MaxBytes <= 0 {
		c.MaxBytes = 64 << 20
	}
	if c.RetryTimeout <= 0 {
		c.RetryTimeout = 10 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}
