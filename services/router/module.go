package router

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"time"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	logifyv1 "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/outside"
)

// OnBusy says what happens to a turn of a session that is at work on another.
type OnBusy string

// The choices for a second turn.
const (
	BusyReject OnBusy = "reject" // a clear error at once
	BusyWait   OnBusy = "wait"   // waits its turn, at most MaxBusyWait
)

// Strategies of the decision.
const (
	StrategyRules = "rules"
	StrategyLLM   = "llm"
)

// Config is the router's configuration. Zero values mean the defaults that
// Complete fills in.
type Config struct {
	// Strategy decides what comes next: "rules", or "llm" for a model with the rules
	// where it does not answer; see docs/llm.md. Default rules.
	Strategy string `koanf:"strategy"`
	// DefaultSource is asked when neither turn nor session names one; empty
	// leaves the choice to the services.
	DefaultSource string `koanf:"default_source"`
	// TimeZone is used for askers that name none: an IANA name. Default UTC.
	TimeZone string `koanf:"time_zone"`
	// MaxExecute bounds a turn that names no max_execute_second. Default 120 s.
	MaxExecute time.Duration `koanf:"max_execute"`
	// MaxToolCalls bounds the tool calls of a turn. Default 12.
	MaxToolCalls int `koanf:"max_tool_calls"`
	// MaxSteps bounds the steps of a turn through the graph. Default 64.
	MaxSteps int `koanf:"max_steps"`
	// RepairBudget is how many repairs a turn may try. Default 2; -1: none.
	RepairBudget int `koanf:"repair_budget"`
	// MaxValidationRetries bounds new decisions after a tool refused its
	// arguments. Default 3.
	MaxValidationRetries int `koanf:"max_validation_retries"`
	// ValidationRetryWait lies between such decisions. Default 1 s.
	ValidationRetryWait time.Duration `koanf:"validation_retry_wait"`
	// HistoryMessages is how many earlier messages a decision sees; of those before
	// it knows a summary. Default 12.
	HistoryMessages int `koanf:"history_messages"`
	// MaxRunBytes bounds the run tree of one turn. Default 1 MiB.
	MaxRunBytes int `koanf:"max_run_bytes"`
	// OnBusy is what happens to a second turn of a session. Default reject.
	OnBusy OnBusy `koanf:"on_busy"`
	// MaxBusyWait bounds waiting for a session. Default 30 s.
	MaxBusyWait time.Duration `koanf:"max_busy_wait"`
	// Lease is how long a session stays locked without a sign of life; a third
	// of it lies between two signs. Default 30 s.
	Lease time.Duration `koanf:"lease"`
	// MaxTurns bounds the turns that are at work at a time, and MaxOwnTurns those of
	// one person. Defaults 64 and 16.
	MaxTurns    int `koanf:"max_turns"`
	MaxOwnTurns int `koanf:"max_own_turns"`
	// TurnWait bounds waiting for a place among them. Default 30 s.
	TurnWait time.Duration `koanf:"turn_wait"`
	// PersistTimeout bounds one write to the store. Default 30 s.
	PersistTimeout time.Duration `koanf:"persist_timeout"`
	// Retention says how long sessions and runs are kept, and how many of each person.
	Retention RetentionConfig `koanf:"retention"`
	// Auditors are groups whose members may read the runs of others: questions, steps
	// and how they ended, no statements and no rows. Each such call is a line of the audit log. Administrators are
	// none by themselves.
	Auditors []string `koanf:"auditors"`
	// AgentsFile is a YAML file with agents of other teams that are added as tools;
	// see docs/agents.md. Empty: none.
	AgentsFile string `koanf:"agents_file"`
	// Secret signs mid_state, at least 16 bytes. Empty: made at start, so that
	// states of another process or an earlier start are refused.
	Secret []byte `koanf:"-"`
}

// RetentionConfig bounds what is stored. What is beyond the bounds is removed in the
// background, oldest first; -1: no bound.
type RetentionConfig struct {
	// SessionsFor is how long a session is kept after its last use. Default 90 days.
	SessionsFor time.Duration `koanf:"sessions_for"`
	// RunsFor is how long a run is kept, with the tool calls that it made. Default 30
	// days.
	RunsFor time.Duration `koanf:"runs_for"`
	// MaxSessions and MaxRuns bound those of one person. Defaults 1000 and 10000.
	MaxSessions int `koanf:"max_sessions"`
	MaxRuns     int `koanf:"max_runs"`
	// MaxTurns bounds the turns of one session, which then has to be left for a new
	// one. Default 1000.
	MaxTurns int `koanf:"max_turns"`
	// MaxSessionBytes bounds what the outputs of tool calls and the steps of runs of one
	// session take, as they are stored; those of its oldest turns go first, and who asks
	// for them is told. Those of the newest turn stay. Default 64 MiB.
	MaxSessionBytes int64 `koanf:"max_session_bytes"`
	// MaxRemoved is how many removed sessions and runs are remembered, so that who asks
	// for one is told when and why it went. Default 10000.
	MaxRemoved int `koanf:"max_removed"`
	// SweepEvery lies between two times that what is beyond the bounds is removed, and
	// SweepBatch bounds what one transaction removes. Defaults 1 hour and 200.
	SweepEvery time.Duration `koanf:"sweep_every"`
	SweepBatch int           `koanf:"sweep_batch"`
}

func (c RetentionConfig) complete() RetentionConfig {
	const day = 24 * time.Hour
	setDefault(&c.SessionsFor, 90*day)
	setDefault(&c.RunsFor, 30*day)
	setDefault(&c.MaxSessions, 1000)
	setDefault(&c.MaxRuns, 10_000)
	setDefault(&c.MaxTurns, 1000)
	setDefault(&c.MaxSessionBytes, 64<<20)
	setDefault(&c.MaxRemoved, 10_000)
	setDefault(&c.SweepEvery, time.Hour)
	setDefault(&c.SweepBatch, 200)
	return c
}

// RestartSettings are the keys of Config that Reconfigure leaves as they are: what was opened or
// is counted by them is there already.
func RestartSettings() []string {
	return []string{"strategy", "default_source", "agents_file", "lease", "max_turns", "max_own_turns", "retention.sweep_every"}
}

// Complete returns the configuration with its defaults filled in.
func (c Config) Complete() Config {
	setDefault(&c.Strategy, StrategyRules)
	setDefault(&c.TimeZone, "UTC")
	setDefault(&c.MaxExecute, 2*time.Minute)
	setDefault(&c.MaxToolCalls, 12)
	setDefault(&c.MaxSteps, 64)
	setDefault(&c.RepairBudget, 2)
	setDefault(&c.MaxValidationRetries, 3)
	setDefault(&c.ValidationRetryWait, time.Second)
	setDefault(&c.HistoryMessages, 12)
	setDefault(&c.MaxRunBytes, 1<<20)
	setDefault(&c.OnBusy, BusyReject)
	setDefault(&c.MaxBusyWait, 30*time.Second)
	setDefault(&c.Lease, 30*time.Second)
	setDefault(&c.PersistTimeout, 30*time.Second)
	c.Retention = c.Retention.complete()
	setDefault(&c.MaxTurns, 64)
	setDefault(&c.MaxOwnTurns, 16)
	setDefault(&c.TurnWait, 30*time.Second)
	if len(c.Secret) == 0 {
		c.Secret = make([]byte, 32)
		_, _ = rand.Read(c.Secret) // crypto/rand.Read does not return errors
	}
	return c
}

// minSecret is the shortest secret that signs, in bytes.
const minSecret = 16

func (c Config) check() error {
	switch {
	case c.Strategy != StrategyRules && c.Strategy != StrategyLLM:
		return fmt.Errorf("router: strategy is %q; use %s or %s", c.Strategy, StrategyRules, StrategyLLM)
	case c.OnBusy != BusyReject && c.OnBusy != BusyWait:
		return fmt.Errorf("router: on_busy is %q; use %q or %q", c.OnBusy, BusyReject, BusyWait)
	case c.MaxTurns < 1 || c.MaxOwnTurns < 1 || c.TurnWait < 0:
		return fmt.Errorf("router: max_turns is %d, max_own_turns %d and turn_wait %s; the first two must be 1 or more, the last 0 or more", c.MaxTurns, c.MaxOwnTurns, c.TurnWait)
	case c.Retention.SweepEvery < 0 || c.Retention.SweepBatch < 1:
		return fmt.Errorf("router: retention.sweep_every is %s and retention.sweep_batch %d; the first must be 0 or more, the second 1 or more", c.Retention.SweepEvery, c.Retention.SweepBatch)
	case !run.ValidTimeZone(c.TimeZone):
		return fmt.Errorf("router: time_zone is %q; use an IANA name such as Asia/Singapore", c.TimeZone)
	case len(c.Secret) < minSecret:
		return fmt.Errorf("router: the secret has %d bytes; at least %d are needed", len(c.Secret), minSecret)
	}
	return nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Store is what the router asks of its store. pkg/store/sqlite and
// pkg/store/postgres have it.
type Store interface {
	CreateSession(ctx context.Context, p run.Principal, s store.Session) error
	Session(ctx context.Context, p run.Principal, id string) (store.Session, error)
	Sessions(ctx context.Context, p run.Principal, page store.Page) ([]store.Session, string, error)
	DeleteSession(ctx context.Context, p run.Principal, id string) error
	// Thread reads a chat with its newest messages.
	Thread(ctx context.Context, p run.Principal, sessionID, chatID string, messages int) (store.Thread, error)
	// Messages returns the newest messages, oldest first within the page. An
	// empty chatID means all chats of the session.
	Messages(ctx context.Context, p run.Principal, sessionID, chatID string, page store.Page) ([]store.Message, string, error)
	ToolCall(ctx context.Context, p run.Principal, id string) (store.ToolCall, error)
	Run(ctx context.Context, p run.Principal, id string) (store.Run, []run.Record, error)
	Runs(ctx context.Context, p run.Principal, f store.RunFilter, page store.Page) ([]store.Run, string, error)
	// RequestCancel marks a run at work; whoever works on it ends it.
	RequestCancel(ctx context.Context, p run.Principal, runID string) (run.Status, error)
	// Sweep removes what the retention keeps no longer, a batch at most.
	Sweep(ctx context.Context, r store.Retention) (store.Swept, error)
	SaveFeedback(ctx context.Context, p run.Principal, f store.Feedback) error

	// Lock takes the session for lease, or says SESSION_BUSY.
	Lock(ctx context.Context, p run.Principal, sessionID string, lease time.Duration) (store.Lock, error)
	// Renew prolongs a lock and reports whether the run's end was asked for.
	Renew(ctx context.Context, l store.Lock, runID string, lease time.Duration) (store.Lock, bool, error)
	Unlock(ctx context.Context, l store.Lock) error
	// Commit writes one step of a turn under its lock, all or nothing.
	Commit(ctx context.Context, p run.Principal, l store.Lock, c store.Changes) error
}

// Deps are what the router works with. Store and the clients of the four main
// services are needed; a missing alpha client counts as not served.
type Deps struct {
	Store     Store
	FindData  findatav1.FindDataServiceClient
	Catalog   findatav1.CatalogServiceClient
	Text2SQL  text2sqlv1.Text2SQLServiceClient
	FixSQL    fixsqlv1.FixSQLServiceClient
	ChatBI    chatbiv1.ChatBIServiceClient
	Knowledge knowledgev1.KnowledgeServiceClient
	Logify    logifyv1.LogifyServiceClient
	Analysis  analysisv1.AnalysisServiceClient
	// Outside are the agents that the configuration adds.
	Outside []*outside.Tool
	// Strategy decides; nil: the one that the configuration names.
	Strategy decide.Strategy
	// Model is asked by the strategy llm; nil: rules decide, whatever is configured.
	Model llm.Model
	// ModelCurrency is that of the models' prices, for the cost of an answer.
	ModelCurrency string
	// ModelBudget is what a turn may spend on models, in all services.
	ModelBudget budget.Limits
	// Clock and IDs default to the wall clock and random ids. Steps of a run are
	// timed and named by the tracker of the call's context (pkg/rpc).
	Clock func() time.Time
	IDs   func(prefix string) string
	// idsAreNew says that IDs are of the system's random source, which gives none twice. A call
	// under an id of another source is looked for before it is made.
	idsAreNew bool
	// Log defaults to slog.Default.
	Log *slog.Logger
	// Meter measures; nil: nobody does.
	Meter *meter.Set
	// People reach what all services keep of a person; nil: nobody does in this process.
	People People
}

func (d Deps) complete() Deps {
	if d.Clock == nil {
		d.Clock = time.Now
	}
	if d.IDs == nil {
		d.IDs, d.idsAreNew = func(prefix string) string { return run.NewIDAt(prefix, d.Clock(), nil) }, true
	}
	if d.Log == nil {
		d.Log = slog.Default()
	}
	return d
}
