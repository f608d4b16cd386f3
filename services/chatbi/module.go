package chatbi

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
	"github.com/dibrain/dibrain/services/chatbi/llm"
)

// CostAction is what the cost gate does with a statement above a threshold.
type CostAction string

// Actions of the cost gate.
const (
	CostAllow  CostAction = "allow"
	CostAsk    CostAction = "ask"
	CostRefuse CostAction = "refuse"
)

// Values of Strategy.
const (
	StrategyRules = "rules"
	StrategyLLM   = "llm"
)

// Config of the service. The zero value of a field means its default.
type Config struct {
	// DefaultSource is asked where a request names no source.
	DefaultSource string `koanf:"default_source"`

	Engine EngineConfig `koanf:"engine"`
	Trino  TrinoConfig  `koanf:"trino"`
	Limits LimitConfig  `koanf:"limits"`
	Guard  guard.Bounds `koanf:"guard"`
	Cost   CostConfig   `koanf:"cost"`
	Store  StoreConfig  `koanf:"store"`

	// Strategy is rules, or llm: a model writes the sentences of an analysis from its
	// findings, and those that do not hold are left as they are.
	Strategy string `koanf:"strategy"`
	// Model bounds what a model is told.
	Model llm.Config `koanf:",squash"`

	// LateAfter is how old the data of a table may be, against the end of the
	// asked range or now, before the answer warns that it is late.
	LateAfter time.Duration `koanf:"late_after"`
}

// EngineConfig bounds the embedded engines.
type EngineConfig struct {
	// MaxOpen is the number of sources whose engine is open at a time; the one
	// unused for longest makes room.
	MaxOpen int `koanf:"max_open"`
	// MemoryLimit of one statement, such as "2GB" or "512MB". DuckDB keeps to it.
	MemoryLimit string `koanf:"memory_limit"`
	// ProcessMemory, in bytes, is where the process that runs a statement is ended
	// for its memory, whatever took it; 0 means a quarter more than memory_limit and
	// 384 MiB.
	ProcessMemory int64 `koanf:"process_memory"`
	// Threads of one statement.
	Threads int `koanf:"threads"`
	// MaxConcurrent is the number of statements that one engine runs at a time, each in
	// a process of its own.
	MaxConcurrent int `koanf:"max_concurrent"`
	// MaxPerPrincipal is how many of them one person may have; 0 means half of
	// max_concurrent, and one at least.
	MaxPerPrincipal int `koanf:"max_per_principal"`
	// KeepIdle is how long a process that runs nothing is kept beside the first.
	KeepIdle time.Duration `koanf:"keep_idle"`
	// MaxProcesses is the number of processes that run statements, those of all sources
	// together. One person has half of them, and one at least. 0 means as many as half
	// of the container's or machine's memory holds at process_memory each, and one at
	// least.
	MaxProcesses int `koanf:"max_processes"`
}

// Places is the number of processes of all embedded engines together, each of which
// may take processMemory bytes. memory is that of the container or machine; where it
// is not known, 0, one source's processes are taken for all.
func (c EngineConfig) Places(memory int64) (places int, processMemory int64, err error) {
	processMemory, err = duckdb.ProcessMemory(c.MemoryLimit, c.ProcessMemory)
	switch {
	case err != nil:
		return 0, 0, err
	case c.MaxProcesses > 0:
		return c.MaxProcesses, processMemory, nil
	case memory <= 0:
		return c.MaxConcurrent, processMemory, nil
	}
	held := memory / 2 / processMemory
	return int(min(max(held, 1), int64(c.MaxOpen)*int64(c.MaxConcurrent))), processMemory, nil
}

// TrinoConfig bounds what one process asks of one Trino server. How the server is
// reached belongs to the source.
type TrinoConfig struct {
	// MaxConcurrent is the number of statements of one source that run at a time, on each
	// of its clusters.
	MaxConcurrent int `koanf:"max_concurrent"`
	// MaxPerPrincipal is how many of them one person may have; 0 means half of
	// max_concurrent.
	MaxPerPrincipal int `koanf:"max_per_principal"`
	// QueueWait is how long a statement above that number waits for another to end.
	QueueWait time.Duration `koanf:"queue_wait"`
	// RetryTimeout is how long a request is tried again while the server is busy or
	// starting.
	RetryTimeout time.Duration `koanf:"retry_timeout"`
	// ExchangeTimeout bounds one exchange of an asker's sign-in for a token of Trino, and
	// MaxTokens the people whose token is kept in memory until it ends.
	ExchangeTimeout time.Duration `koanf:"exchange_timeout"`
	MaxTokens       int           `koanf:"max_tokens"`
	// AnswerTimeout is how long the server may leave one request without any answer.
	AnswerTimeout time.Duration `koanf:"answer_timeout"`
	// Failures is after how many requests in a row without an answer the server is sent no
	// more statements, and ProbeAfter how long that lasts before it is tried again.
	Failures   int           `koanf:"failures"`
	ProbeAfter time.Duration `koanf:"probe_after"`
	// KnownFor is how long what a server said of a table's newest data, or of a
	// statement's plan, is taken to hold. A new generation of the source forgets it.
	KnownFor time.Duration `koanf:"known_for"`
	// MaxJournal is how many running statements are noted on disk, so that the next
	// process ends them on their server where this one is killed.
	MaxJournal int `koanf:"max_journal"`
	// EndAttempts is how often the next process tries to end such a statement, and
	// EndTimeout how long it tries in all.
	EndAttempts int           `koanf:"end_attempts"`
	EndTimeout  time.Duration `koanf:"end_timeout"`
	// EndWait is the pause before the second of those attempts; each further pause
	// is twice the one before.
	EndWait time.Duration `koanf:"end_wait"`
}

// LimitConfig bounds one statement.
type LimitConfig struct {
	// Timeout of one statement on the engine.
	Timeout time.Duration `koanf:"timeout"`
	// MaxRows and MaxBytes of one result; what is beyond is left out and said so.
	MaxRows  int64 `koanf:"max_rows"`
	MaxBytes int64 `koanf:"max_bytes"`
	// AnalysedRows and AnalysedBytes are how much of a result is held in memory and
	// analysed, its first rows; the rest goes to the result store as it comes, can be
	// read page by page and exported, and the answer says that it is of the first rows.
	AnalysedRows  int64 `koanf:"analysed_rows"`
	AnalysedBytes int64 `koanf:"analysed_bytes"`
	// ResultsMemory, in bytes, is what all results together may take in memory while
	// they are read, analysed and stored; one of them has half of it at least. One
	// over it waits ResultsWait for others.
	ResultsMemory int64 `koanf:"results_memory"`
	// ResultsWait is how long a result waits for the memory of others.
	ResultsWait time.Duration `koanf:"results_wait"`
	// DefaultLimit is the LIMIT that the guard adds where a statement has none.
	DefaultLimit int64 `koanf:"default_limit"`
	// PageSize is the number of rows of a page where the request does not say.
	PageSize int `koanf:"page_size"`
	// MaxPageBytes bounds a page, which may so have fewer rows than asked for.
	MaxPageBytes int `koanf:"max_page_bytes"`
	// MaxPlanBytes bounds the plan text of EstimateCost.
	MaxPlanBytes int `koanf:"max_plan_bytes"`
	// MaxChartPoints bounds the points drawn in a chart's option.
	MaxChartPoints int `koanf:"max_chart_points"`
	// MaxChangeStatements bounds the statements that one explanation of a change runs.
	MaxChangeStatements int `koanf:"max_change_statements"`
}

// CostConfig is the cost gate: thresholds on the estimate, and what happens
// above them. A threshold of -1 is never reached.
type CostConfig struct {
	// AboveAsk is what happens above AskRows or AskBytes: ask (the default),
	// allow or refuse.
	AboveAsk CostAction `koanf:"above_ask"`
	AskRows  int64      `koanf:"ask_rows"`
	AskBytes int64      `koanf:"ask_bytes"`
	// A statement above RefuseRows or RefuseBytes does not run, confirmed or not.
	RefuseRows  int64 `koanf:"refuse_rows"`
	RefuseBytes int64 `koanf:"refuse_bytes"`
	// Unknown is what happens where neither the catalog nor the engine has figures
	// of a table, and no condition leaves out partitions of it: ask, allow or refuse.
	// Empty asks on Trino and allows on the embedded engine.
	Unknown CostAction `koanf:"unknown"`
	// PartitionDays is how many days up to now a range of a date partition may hold
	// to be a partition predicate, for this gate and for a policy that demands one.
	PartitionDays int `koanf:"partition_days"`
}

// StoreConfig bounds the stored results.
type StoreConfig struct {
	// MaxAge is how long a result can be read.
	MaxAge time.Duration `koanf:"max_age"`
	// SweepEvery lies between two times that results beyond their age are removed
	// although nobody runs a statement.
	SweepEvery time.Duration `koanf:"sweep_every"`
	// MaxBytes of all results; the oldest make room.
	MaxBytes int64 `koanf:"max_bytes"`
	// MaxResults is their greatest number.
	MaxResults int `koanf:"max_results"`
	// MaxOwnBytes and MaxOwnResults bound those of one person, whose own oldest make
	// room.
	MaxOwnBytes   int64 `koanf:"max_own_bytes"`
	MaxOwnResults int   `koanf:"max_own_results"`
	// NoReuse has the engine asked even where the rows of a person's same statement on
	// the same data are stored. Rows of Trino are never used again.
	NoReuse bool `koanf:"no_reuse"`
}

// LiveSettings are the keys of Config that Reconfigure takes on, each with all below it where it
// ends in a dot, but for those of the second list: engines are opened with the rows, bytes and time that
// no statement gets more of.
func LiveSettings() (keys, but []string) {
	return []string{"limits.", "cost.", "guard.", "late_after"},
		[]string{"limits.max_rows", "limits.max_bytes", "limits.timeout", "limits.results_memory", "limits.results_wait"}
}

// Complete fills in the defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	c.DefaultSource = orDefault(c.DefaultSource, "demo")
	c.LateAfter = orDefault(c.LateAfter, 36*time.Hour)
	c.Strategy = orDefault(c.Strategy, StrategyRules)
	if c.Strategy != StrategyRules && c.Strategy != StrategyLLM {
		return c, fmt.Errorf("chatbi.strategy is %q: use rules or llm", c.Strategy)
	}
	var err error
	if c.Model, err = c.Model.Complete(); err != nil {
		return c, err
	}

	c.Engine.MaxOpen = orDefault(c.Engine.MaxOpen, 16)
	c.Engine.MemoryLimit = orDefault(c.Engine.MemoryLimit, "2GB")
	c.Engine.Threads = orDefault(c.Engine.Threads, runtime.NumCPU())
	c.Engine.MaxConcurrent = orDefault(c.Engine.MaxConcurrent, 4)
	c.Engine.KeepIdle = orDefault(c.Engine.KeepIdle, 30*time.Second)

	c.Trino.MaxConcurrent = orDefault(c.Trino.MaxConcurrent, 16)
	c.Trino.QueueWait = orDefault(c.Trino.QueueWait, 10*time.Second)
	c.Trino.RetryTimeout = orDefault(c.Trino.RetryTimeout, 10*time.Second)
	c.Trino.AnswerTimeout = orDefault(c.Trino.AnswerTimeout, 30*time.Second)
	c.Trino.ExchangeTimeout = orDefault(c.Trino.ExchangeTimeout, 10*time.Second)
	c.Trino.MaxTokens = orDefault(c.Trino.MaxTokens, 1000)
	c.Trino.Failures = orDefault(c.Trino.Failures, 3)
	c.Trino.ProbeAfter = orDefault(c.Trino.ProbeAfter, 5*time.Second)
	c.Trino.KnownFor = orDefault(c.Trino.KnownFor, 10*time.Minute)
	c.Trino.MaxJournal = orDefault(c.Trino.MaxJournal, 10_000)
	c.Trino.EndAttempts = orDefault(c.Trino.EndAttempts, 5)
	c.Trino.EndTimeout = orDefault(c.Trino.EndTimeout, 2*time.Minute)
	c.Trino.EndWait = orDefault(c.Trino.EndWait, time.Second)

	c.Limits.Timeout = orDefault(c.Limits.Timeout, 2*time.Minute)
	c.Limits.MaxRows = orDefault(c.Limits.MaxRows, 100_000)
	c.Limits.MaxBytes = orDefault(c.Limits.MaxBytes, 64<<20)
	c.Limits.AnalysedRows = orDefault(c.Limits.AnalysedRows, 100_000)
	c.Limits.AnalysedBytes = orDefault(c.Limits.AnalysedBytes, 64<<20)
	c.Limits.ResultsMemory = orDefault(c.Limits.ResultsMemory, 512<<20)
	c.Limits.ResultsWait = orDefault(c.Limits.ResultsWait, 5*time.Second)
	c.Limits.DefaultLimit = orDefault(c.Limits.DefaultLimit, 10_000)
	c.Limits.PageSize = orDefault(c.Limits.PageSize, 100)
	c.Limits.MaxPageBytes = orDefault(c.Limits.MaxPageBytes, 1<<20)
	c.Limits.MaxPlanBytes = orDefault(c.Limits.MaxPlanBytes, 16<<10)
	c.Limits.MaxChartPoints = orDefault(c.Limits.MaxChartPoints, 1000)
	c.Limits.MaxChangeStatements = orDefault(c.Limits.MaxChangeStatements, 6)

	c.Guard = c.Guard.WithDefaults()

	c.Cost.AboveAsk = orDefault(c.Cost.AboveAsk, CostAsk)
	c.Cost.AskRows = orDefault(c.Cost.AskRows, 1_000_000_000)
	c.Cost.AskBytes = orDefault(c.Cost.AskBytes, 100<<30)
	c.Cost.RefuseRows = orDefault(c.Cost.RefuseRows, 100_000_000_000)
	c.Cost.RefuseBytes = orDefault(c.Cost.RefuseBytes, 10<<40)

	c.Cost.PartitionDays = orDefault(c.Cost.PartitionDays, guard.DefaultPartitionDays)

	c.Store.MaxAge = orDefault(c.Store.MaxAge, 24*time.Hour)
	c.Store.SweepEvery = orDefault(c.Store.SweepEvery, time.Hour)
	c.Store.MaxBytes = orDefault(c.Store.MaxBytes, 1<<30)
	c.Store.MaxResults = orDefault(c.Store.MaxResults, 10_000)
	c.Store.MaxOwnBytes = orDefault(c.Store.MaxOwnBytes, max(c.Store.MaxBytes/8, 1))
	c.Store.MaxOwnResults = orDefault(c.Store.MaxOwnResults, max(c.Store.MaxResults/8, 1))
	return c, c.check()
}

func (c Config) check() error {
	switch c.Cost.AboveAsk {
	case CostAllow, CostAsk, CostRefuse:
	default:
		return fmt.Errorf("chatbi.cost.above_ask is %q: use allow, ask or refuse", c.Cost.AboveAsk)
	}
	switch c.Cost.Unknown {
	case "", CostAllow, CostAsk, CostRefuse:
	default:
		return fmt.Errorf("chatbi.cost.unknown is %q: use allow, ask or refuse, or leave it empty", c.Cost.Unknown)
	}
	if _, err := duckdb.ProcessMemory(c.Engine.MemoryLimit, c.Engine.ProcessMemory); err != nil {
		return fmt.Errorf("chatbi.engine.memory_limit: %w", err)
	}
	for key, value := range map[string]int64{
		"engine.process_memory": c.Engine.ProcessMemory, "engine.max_processes": int64(c.Engine.MaxProcesses), "engine.max_per_principal": int64(c.Engine.MaxPerPrincipal), "trino.max_per_principal": int64(c.Trino.MaxPerPrincipal),
	} {
		if value < 0 {
			return fmt.Errorf("chatbi.%s is %d: it cannot be below 0", key, value)
		}
	}
	for _, limit := range []struct {
		key   string
		value int64
	}{
		{"engine.max_open", int64(c.Engine.MaxOpen)}, {"engine.threads", int64(c.Engine.Threads)},
		{"engine.max_concurrent", int64(c.Engine.MaxConcurrent)}, {"engine.keep_idle", int64(c.Engine.KeepIdle)},
		{"trino.max_concurrent", int64(c.Trino.MaxConcurrent)}, {"trino.queue_wait", int64(c.Trino.QueueWait)},
		{"trino.retry_timeout", int64(c.Trino.RetryTimeout)}, {"trino.known_for", int64(c.Trino.KnownFor)},
		{"trino.answer_timeout", int64(c.Trino.AnswerTimeout)}, {"trino.failures", int64(c.Trino.Failures)}, {"trino.probe_after", int64(c.Trino.ProbeAfter)},
		{"trino.exchange_timeout", int64(c.Trino.ExchangeTimeout)}, {"trino.max_tokens", int64(c.Trino.MaxTokens)}, {"trino.max_journal", int64(c.Trino.MaxJournal)}, {"trino.end_attempts", int64(c.Trino.EndAttempts)},
		{"trino.end_timeout", int64(c.Trino.EndTimeout)}, {"trino.end_wait", int64(c.Trino.EndWait)}, {"limits.timeout", int64(c.Limits.Timeout)},
		{"limits.max_rows", c.Limits.MaxRows}, {"limits.max_bytes", c.Limits.MaxBytes},
		{"limits.analysed_rows", c.Limits.AnalysedRows}, {"limits.analysed_bytes", c.Limits.AnalysedBytes},
		{"limits.results_memory", c.Limits.ResultsMemory}, {"limits.results_wait", int64(c.Limits.ResultsWait)},
		{"limits.default_limit", c.Limits.DefaultLimit},
		{"limits.page_size", int64(c.Limits.PageSize)}, {"limits.max_page_bytes", int64(c.Limits.MaxPageBytes)},
		{"limits.max_plan_bytes", int64(c.Limits.MaxPlanBytes)}, {"limits.max_chart_points", int64(c.Limits.MaxChartPoints)},
		{"limits.max_change_statements", int64(c.Limits.MaxChangeStatements)},
		{"cost.partition_days", int64(c.Cost.PartitionDays)}, {"store.max_age", int64(c.Store.MaxAge)}, {"store.sweep_every", int64(c.Store.SweepEvery)}, {"store.max_bytes", c.Store.MaxBytes},
		{"store.max_results", int64(c.Store.MaxResults)},
		{"store.max_own_bytes", c.Store.MaxOwnBytes}, {"store.max_own_results", int64(c.Store.MaxOwnResults)}, {"late_after", int64(c.LateAfter)},
	} {
		if limit.value < 1 {
			return fmt.Errorf("chatbi.%s is %d: it has to be at least 1", limit.key, limit.value)
		}
	}
	return nil
}

func orDefault[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// Deps are what the service works with. Sources, Catalog and DataDir are needed.
type Deps struct {
	// Sources hold the warehouses.
	Sources *source.Store
	// Catalog is findata's: what it does not describe, the asker may not read.
	Catalog findatav1.CatalogServiceClient
	// Policy says who may read what; nil: everybody may read what Catalog describes.
	Policy *policy.File
	// DataDir is the product's data directory; the service keeps to DataDir/chatbi.
	DataDir string
	// Database has the index of results, and the statements that remote engines work on, for
	// services that share the work; nil: they are in files below DataDir. The service closes
	// it. Lease is how long a process that gives no sign of life there is waited for before
	// others take over what it had begun.
	Database *postgres.Database
	Lease    time.Duration
	// Files keep the rows of results; nil: a folder below DataDir. Of services that share
	// Database, all have to reach the same.
	Files store.Files
	// Clock is time.Now where it is nil.
	Clock func() time.Time
	// Launcher starts the processes of embedded engines; nil: they are within this
	// process, for tests.
	Launcher duckdb.Launcher
	// Memory of the container or machine, in bytes; 0: it is not known.
	Memory int64
	// Model writes sentences with strategy llm; nil: there is none, and they stay as they
	// are.
	Model chat.Model
	// ModelBudget is what one question may spend on it.
	ModelBudget budget.Limits
	// Log takes what an operator should know; nil: slog.Default().
	Log *slog.Logger
	// Meter measures; nil: nobody does.
	Meter *meter.Set
	// OpenEngine opens the engine of a source's generation; nil: the one that it names.
	OpenEngine func(context.Context, *source.Generation) (warehouse.Engine, error)
}
