// Package meter measures what the parts of a process do: calls, dependencies, models,
// caches, queues, engines and turns. It knows OpenTelemetry's interface alone; package
// telemetry says where the measurements go.
//
// Each instrument is a Definition with the labels that it has and the values that they
// may take, so that the number of series is bounded by the program: who asks, which
// table and what SQL is never a label. A nil *Set measures nothing.
package meter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

const scopeName = "github.com/dibrain/dibrain/pkg/telemetry/meter"

// Dependency is something outside of the program that it works with.
type Dependency string

// The dependencies. DuckDB and SQLite are libraries: what they do, disks may hold up.
const (
	Trino         Dependency = "trino"
	DuckDB        Dependency = "duckdb"
	PostgreSQL    Dependency = "postgresql"
	SQLite        Dependency = "sqlite"
	Milvus        Dependency = "milvus"
	Elasticsearch Dependency = "elasticsearch"
	Model         Dependency = "model"
	Embeddings    Dependency = "embeddings"
	Loki          Dependency = "loki"
	ObjectStorage Dependency = "object_storage"
)

// Operation is what a dependency is asked for.
type Operation string

// The operations.
const (
	OpQuery    Operation = "query"
	OpExplain  Operation = "explain"
	OpMetadata Operation = "metadata"
	OpRead     Operation = "read"
	OpWrite    Operation = "write"
	OpSearch   Operation = "search"
	OpIndex    Operation = "index"
	OpChat     Operation = "chat"
	OpEmbed    Operation = "embed"
	OpUpload   Operation = "upload"
	OpRemove   Operation = "remove"
	OpList     Operation = "list"
)

// Cache is something that remembers answers.
type Cache string

// The caches.
const (
	CacheFindDataModel Cache = "findata_model"
	CacheText2SQLModel Cache = "text2sql_model"
	CacheResults       Cache = "results"
	CacheRights        Cache = "findata_rights"
	CacheQueries       Cache = "findata_queries"
	CacheUsers         Cache = "findata_users"
)

// Queue is what somebody waits in for a place.
type Queue string

// The queues.
const (
	QueueTurns     Queue = "turns"
	QueueModel     Queue = "model"
	QueueTrino     Queue = "trino"
	QueueDuckDB    Queue = "duckdb"
	QueueProcesses Queue = "engine_processes"
)

// FileEnd is what became of the file of a result that was let go.
type FileEnd string

// The ends. FileLeft is of one for which there was no place or no time; that and one whose
// removal failed go with a later sweep, which counts them as swept, or as stuck where it cannot
// remove them either.
const (
	FileRemoved FileEnd = "removed"
	FileSwept   FileEnd = "swept"
	FileFailed  FileEnd = "failed"
	FileLeft    FileEnd = "left"
	FileStuck   FileEnd = "stuck"
)

// Confidence is how sure an answer is, in classes.
type Confidence string

// The classes.
const (
	High    Confidence = "high"
	Medium  Confidence = "medium"
	Low     Confidence = "low"
	NotTold Confidence = "not_told"
)

// Bounds of the classes.
const (
	highFrom   = .9
	mediumFrom = .75
)

// ConfidenceOf returns the class of a confidence from 0 to 1; 0 is not told.
func ConfidenceOf(c float64) Confidence {
	switch {
	case c <= 0:
		return NotTold
	case c >= highFrom:
		return High
	case c >= mediumFrom:
		return Medium
	default:
		return Low
	}
}

// NoIntent is the intent of a turn that ended before one was found.
const NoIntent = "none"

// Intents are what a turn may be after: the router's final intents, and NoIntent.
func Intents() []string {
	return []string{"data_discovery", "generate_sql", "fix_sql", "execute_sql_and_analyze_result", "search_log", NoIntent}
}

// Result is how a call of a dependency ended.
type Result string

// The results. Refused is the request's own fault, and Busy a limit: the dependency works.
const (
	OK        Result = "ok"
	Refused   Result = "refused"
	Busy      Result = "busy"
	Timeout   Result = "timeout"
	Cancelled Result = "cancelled"
	Failed    Result = "failed"
)

// ResultOf returns the result that an error stands for.
func ResultOf(err error) Result {
	if err == nil {
		return OK
	}
	if code := status.Code(err); fault.ReasonOf(err) != "" || code != codes.Unknown {
		switch code {
		case codes.Canceled:
			return Cancelled
		case codes.DeadlineExceeded:
			return Timeout
		case codes.ResourceExhausted:
			return Busy
		case codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.PermissionDenied, codes.Unauthenticated,
			codes.FailedPrecondition, codes.OutOfRange, codes.Unimplemented, codes.Aborted:
			return Refused
		default:
			return Failed
		}
	}
	switch {
	case errors.Is(err, context.Canceled):
		return Cancelled
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	default:
		return Failed
	}
}

// Set is the instruments of a process. It is safe for concurrent use; nil measures
// nothing.
type Set struct {
	definitions map[string]Definition
	counters    map[string]metric.Float64Counter
	upDowns     map[string]metric.Int64UpDownCounter
	gauges      map[string]metric.Float64Gauge
	histograms  map[string]metric.Float64Histogram
	meter       metric.Meter
}

// New makes the instruments.
func New(provider metric.MeterProvider) (*Set, error) {
	s := &Set{
		definitions: map[string]Definition{}, counters: map[string]metric.Float64Counter{}, upDowns: map[string]metric.Int64UpDownCounter{},
		gauges: map[string]metric.Float64Gauge{}, histograms: map[string]metric.Float64Histogram{}, meter: provider.Meter(scopeName),
	}
	for _, d := range Definitions() {
		if err := s.make(d); err != nil {
			return nil, fmt.Errorf("make the metric %s: %w", d.Name, err)
		}
	}
	return s, nil
}

func (s *Set) make(d Definition) (err error) {
	s.definitions[d.Name] = d
	switch d.Kind {
	case Counter:
		s.counters[d.Name], err = s.meter.Float64Counter(d.Name, metric.WithDescription(d.Help), metric.WithUnit(d.Unit))
	case UpDown:
		s.upDowns[d.Name], err = s.meter.Int64UpDownCounter(d.Name, metric.WithDescription(d.Help), metric.WithUnit(d.Unit))
	case Gauge:
		s.gauges[d.Name], err = s.meter.Float64Gauge(d.Name, metric.WithDescription(d.Help), metric.WithUnit(d.Unit))
	case Histogram:
		s.histograms[d.Name], err = s.meter.Float64Histogram(d.Name, metric.WithDescription(d.Help), metric.WithUnit(d.Unit),
			metric.WithExplicitBucketBoundaries(d.Buckets...))
	}
	return err
}

// labels are the attributes of a measurement: one value for each label of the
// definition, in its order.
func (s *Set) labels(name string, values ...string) metric.MeasurementOption {
	d := s.definitions[name]
	attrs := make([]attribute.KeyValue, len(d.Labels))
	for i, l := range d.Labels {
		attrs[i] = attribute.String(l.Key, l.within(values[i]))
	}
	return metric.WithAttributeSet(attribute.NewSet(attrs...))
}

func (s *Set) count(ctx context.Context, name string, by float64, values ...string) {
	s.counters[name].Add(ctx, by, s.labels(name, values...))
}

func (s *Set) add(ctx context.Context, name string, by int64, values ...string) {
	s.upDowns[name].Add(ctx, by, s.labels(name, values...))
}

func (s *Set) set(ctx context.Context, name string, value float64, values ...string) {
	s.gauges[name].Record(ctx, value, s.labels(name, values...))
}

func (s *Set) took(ctx context.Context, name string, d time.Duration, values ...string) {
	s.histograms[name].Record(ctx, d.Seconds(), s.labels(name, values...))
}

// Call notes that a call of a method begins. The caller calls the function returned when
// it has ended, with its code and what came of it, "" for probes.
func (s *Set) Call(ctx context.Context, method string) (ended func(code codes.Code, outcome run.Outcome)) {
	if s == nil {
		return func(codes.Code, run.Outcome) {}
	}
	start := time.Now()
	s.add(ctx, rpcInFlight, 1, method)
	return func(code codes.Code, outcome run.Outcome) {
		s.add(ctx, rpcInFlight, -1, method)
		s.count(ctx, rpcRequests, 1, method, code.String())
		s.took(ctx, rpcSeconds, time.Since(start), method, code.String())
		if outcome != "" {
			s.count(ctx, rpcOutcomes, 1, method, string(outcome))
		}
	}
}

// Ask notes that a dependency is asked. The caller calls the function returned when it
// has answered, once.
func (s *Set) Ask(ctx context.Context, d Dependency, o Operation) (answered func(Result)) {
	if s == nil {
		return func(Result) {}
	}
	start := time.Now()
	s.add(ctx, depInFlight, 1, string(d))
	return func(r Result) {
		s.add(ctx, depInFlight, -1, string(d))
		s.took(ctx, depSeconds, time.Since(start), string(d), string(o), string(r))
	}
}

// Spent notes what an answer of a chat model took. Cost is in currency.
func (s *Set) Spent(ctx context.Context, model string, input, output int, cost float64, currency string) {
	if s == nil {
		return
	}
	s.count(ctx, modelTokens, float64(max(input, 0)), model, "input")
	s.count(ctx, modelTokens, float64(max(output, 0)), model, "output")
	if cost > 0 {
		s.count(ctx, modelCost, cost, model, currency)
	}
}

// Looked notes a question to a cache.
func (s *Set) Looked(ctx context.Context, c Cache, hit bool) {
	if s == nil {
		return
	}
	found := "miss"
	if hit {
		found = "hit"
	}
	s.count(ctx, cacheRequests, 1, string(c), found)
}

// ResultFile notes what became of so many files of results that were let go.
func (s *Set) ResultFile(ctx context.Context, end FileEnd, n int) {
	if s == nil || n == 0 {
		return
	}
	s.count(ctx, resultFiles, float64(n), string(end))
}

// Wait notes that somebody waits for a place. The caller calls the function returned when
// the waiting has ended, and says whether a place was got, or that there was none in
// time; neither is so for who went away. Where one was got, the caller calls leave once it
// is free again.
func (s *Set) Wait(ctx context.Context, q Queue) (ended func(got, full bool) (leave func())) {
	if s == nil {
		return func(bool, bool) func() { return func() {} }
	}
	start := time.Now()
	s.add(ctx, queueWaiting, 1, string(q))
	return func(got, full bool) (leave func()) {
		s.add(ctx, queueWaiting, -1, string(q))
		s.took(ctx, queueSeconds, time.Since(start), string(q))
		if full {
			s.count(ctx, queueRejected, 1, string(q))
		}
		if !got {
			return func() {}
		}
		s.add(ctx, queueInUse, 1, string(q))
		return func() { s.add(ctx, queueInUse, -1, string(q)) }
	}
}

// Ran notes a statement of an engine that has ended.
func (s *Set) Ran(ctx context.Context, engine Dependency, o Operation, r Result, took time.Duration, rows, bytes int64) {
	if s == nil {
		return
	}
	s.took(ctx, engineSeconds, took, string(engine), string(o), string(r))
	s.count(ctx, engineRows, float64(rows), string(engine))
	s.count(ctx, engineBytes, float64(bytes), string(engine))
}

// Turn notes a turn that has ended. An empty intent is NoIntent.
func (s *Set) Turn(ctx context.Context, intent string, o run.Outcome, took time.Duration, c Confidence) {
	if s == nil {
		return
	}
	if intent == "" {
		intent = NoIntent
	}
	s.took(ctx, turnSeconds, took, intent, string(o))
	switch o {
	case run.OutcomeAnswered:
		s.count(ctx, answers, 1, intent, string(c))
	case run.OutcomeAsked:
		s.count(ctx, clarifications, 1, intent)
	}
}

// States are those of a part of a process.
func States() []string { return labelState.Values }

// Module notes the state in which a part of the process is.
func (s *Set) Module(ctx context.Context, module, state string) {
	if s == nil {
		return
	}
	for _, each := range labelState.Values {
		value := 0.0
		if each == state {
			value = 1
		}
		s.set(ctx, moduleState, value, module, each)
	}
}

// TokenFileUnreadable notes for how long the file of tokens could not be read.
func (s *Set) TokenFileUnreadable(ctx context.Context, d time.Duration) {
	if s != nil {
		s.set(ctx, tokenFile, d.Seconds())
	}
}

// Build notes what is running.
func (s *Set) Build(ctx context.Context, version, goVersion string) {
	if s != nil {
		s.set(ctx, buildInfo, 1, version, goVersion)
	}
}

// TablesShown notes an answer of find data with tables.
func (s *Set) TablesShown(ctx context.Context) {
	if s != nil {
		s.count(ctx, findAnswers, 1)
	}
}

// QuestionCame notes what came of a question of find data ("found", "asked", "declined"),
// or, with reply, of the answer to what was asked back.
func (s *Set) QuestionCame(ctx context.Context, reply bool, outcome string) {
	if s == nil {
		return
	}
	kind := "question"
	if reply {
		kind = "reply"
	}
	s.count(ctx, findQuestions, 1, kind, outcome)
}

// TablesJudged notes what a person did with so many tables.
func (s *Set) TablesJudged(ctx context.Context, kind string, tables int) {
	if s != nil {
		s.count(ctx, findFeedback, float64(tables), kind)
	}
}

// Rates notes the click and acceptance rates of a source.
func (s *Set) Rates(ctx context.Context, source string, click, acceptance float64) {
	if s != nil {
		s.set(ctx, findClickRate, click, source)
		s.set(ctx, findAcceptance, acceptance, source)
	}
}
