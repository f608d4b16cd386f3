package trino

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/dibrain/dibrain/pkg/pause"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// Config of an Engine.
type Config struct {
	// Connection says how the server is reached.
	Connection source.TrinoConnection
	// DefaultRegion and DefaultSchema complete names of fewer than three parts.
	DefaultRegion string
	DefaultSchema string
	// Limits of this process; MaxConcurrent 0 means 16, QueueWait 10 s.
	warehouse.Limits
	// RetryTimeout bounds how long one request is tried again where the server,
	// or what stands before it, says that it is busy or starting, and how long a
	// statement is sent again that it could not take; 0 means 10 s.
	RetryTimeout time.Duration
	// AnswerTimeout is how long the server may leave one request without any answer; 0
	// means 30 s. It answers within about a second even while a statement has nothing to
	// show.
	AnswerTimeout time.Duration
	// After so many requests in a row without an answer, the server is sent no statement
	// for Pause, then one tries; 0 means 3 and 5 s.
	Failures int
	Pause    time.Duration
	// ExchangeTimeout bounds one exchange of a sign-in for a token of Trino; 0 means 10 s.
	// MaxTokens bounds the people whose token is kept in memory; 0 means 1,000.
	ExchangeTimeout time.Duration
	MaxTokens       int
	// Clock measures the pause, the time for retries and that in the server's queue; nil: the
	// wall clock. Wait waits before a statement is sent again; nil: pause.For.
	Clock func() time.Time
	Wait  func(context.Context, time.Duration) error
	// Began is called when the server has named a statement, before the server begins
	// to work on it; Ended when the server has no more of it: it came to its end, or
	// the server said that it ended it. A process that is killed in between leaves a
	// statement that EndQuery of another can end. nil: nobody keeps a journal.
	Began func(id, user string)
	Ended func(id string)
	// Log gets warnings for the operator; nil means slog.Default().
	Log *slog.Logger
	// Meter measures who waits for a place; nil: nobody does.
	Meter *meter.Set
}

// ConfigOf is the configuration of a source's generation, with the engine's own
// limits. The generation's engine is trino.
func ConfigOf(g *source.Generation) Config {
	return Config{Connection: *g.Trino, DefaultRegion: g.DefaultRegion, DefaultSchema: g.DefaultSchema}
}

func (c Config) withDefaults() Config {
	c.Limits = c.Limits.WithDefaults(16, 10*time.Second)
	if c.RetryTimeout <= 0 {
		c.RetryTimeout = 10 * time.Second
	}
	c.AnswerTimeout, c.Failures, c.Pause = cmp.Or(c.AnswerTimeout, 30*time.Second), cmp.Or(c.Failures, 3), cmp.Or(c.Pause, 5*time.Second)
	c.ExchangeTimeout, c.MaxTokens = cmp.Or(c.ExchangeTimeout, 10*time.Second), cmp.Or(c.MaxTokens, 1000)
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Wait == nil {
		c.Wait = pause.For
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}
