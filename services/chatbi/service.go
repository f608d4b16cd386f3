// Package chatbi runs approved SQL as the asker and analyses the result: the
// answer in a sentence with the number, findings with the numbers that prove
// them, advice on a chart, and a certificate of what the answer rests on.
//
// service.go and translate.go speak gRPC; execute.go runs a statement; analyse is
// the part that knows no engine and no wire.
package chatbi

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest/written"
	"github.com/dibrain/dibrain/pkg/pause"
	"github.com/dibrain/dibrain/pkg/result/resultpb"
	"github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/run/runpb"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
	"github.com/dibrain/dibrain/services/chatbi/explain/words"
	"github.com/dibrain/dibrain/services/chatbi/llm"
)

// Service implements chatbiv1.ChatBIServiceServer.
type Service struct {
	chatbiv1.UnimplementedChatBIServiceServer

	settings atomic.Pointer[settings] // read by config and guard

	deps    Deps
	analyst *analyse.Analyst
	changes *words.Writer
	writer  *llm.Writer // nil: sentences stay as they are
	words   *written.Words
	engines *engines
	results *results
	journal journal
	memory  *resultMemory
	whole   wholeCatalogs
	log     *slog.Logger

	ctx  context.Context // ends with Close, and all statements with it
	stop context.CancelFunc

	background sync.WaitGroup
}

// New returns the service. It opens nothing: engines and the result store are
// opened when the first call needs them. Statements that a killed process has left
// on a server are ended in the background.
func New(config Config, deps Deps) (_ *Service, err error) {
	if config, err = config.Complete(); err != nil {
		return nil, err
	}
	if deps.Sources == nil || deps.Catalog == nil || deps.DataDir == "" {
		return nil, errors.New("chatbi needs sources, a catalog client and a data directory")
	}
	if deps.Clock == nil {
		deps.Clock = time.Now
	}
	if deps.Log == nil {
		deps.Log = slog.Default()
	}
	log := deps.Log.With("service", "chatbi")
	if deps.Launcher == nil {
		deps.Launcher = duckdb.InProcess()
	}
	if deps.Lease <= 0 {
		deps.Lease = store.DefaultLease
	}
	var running journal = newFileJournal(deps.DataDir, config.Trino.MaxJournal, log)
	if deps.Database != nil {
		running = newDatabaseJournal(deps.Database, deps.Lease, config.Trino.MaxJournal, log)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, running.close())
		}
	}()
	if deps.OpenEngine == nil {
		note := func(source string, c *trino.Config) { noteIn(running, source, deps.Clock, c) }
		places, _, err := config.Engine.Places(deps.Memory)
		if err != nil {
			return nil, err
		}
		room := duckdb.NewRoom(warehouse.Limits{MaxConcurrent: places}).Measured(deps.Meter)
		deps.OpenEngine = openBy(config, embedded{deps.Launcher, room}, note, log, deps.Meter)
	}
	analyst, err := analyse.New(analyse.DefaultThresholds())
	if err != nil {
		return nil, err
	}
	changes, err := words.New()
	if err != nil {
		return nil, err
	}
	s := &Service{
		deps: deps, analyst: analyst, changes: changes, words: written.NewWords(), log: log,
		engines: newEngines(deps.Sources, deps.OpenEngine, config.Engine.MaxOpen, config.Trino.KnownFor, deps.Clock),
		memory:  newResultMemory(config.Limits.ResultsMemory, config.Limits.ResultsWait),
		results: newResults(deps.Results(config.Store)),
		journal: running,
	}
	s.use(config)
	if config.Strategy == StrategyLLM && deps.Model != nil {
		if s.writer, err = llm.New(config.Model, deps.Model); err != nil {
			return nil, err
		}
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.background.Go(func() {
		s.endOrphans(s.ctx)
		for deps.Database != nil && pause.For(s.ctx, deps.Lease) == nil {
			s.endOrphans(s.ctx)
		}
	})
	s.results.pruneByTimer(s.ctx, config.Store.SweepEvery, log)
	return s, nil
}

// settings are a configuration, with the guard that keeps to it.
type settings struct {
	config Config
	guard  *guard.Guard
}

// use has calls work with a configuration.
func (s *Service) use(c Config) {
	s.settings.Store(&settings{c, guard.New(guard.Config{
		DefaultLimit: c.Limits.DefaultLimit, MaxLimit: c.Limits.MaxRows, PartitionDays: c.Cost.PartitionDays, Clock: s.deps.Clock, Bounds: c.Guard,
	})})
}

// config is the configuration at present. Who needs several of its settings to go together
// asks once.
func (s *Service) config() *Config { return &s.settings.Load().config }

// Reconfigure takes on those of LiveSettings of another configuration while calls are at work:
// whatever asks for one from then on gets the new one. The others stay as they are. An error
// changes nothing.
func (s *Service) Reconfigure(c Config) error {
	next, err := c.Complete()
	if err != nil {
		return err
	}
	was := s.config()
	next.Limits.MaxRows, next.Limits.MaxBytes, next.Limits.Timeout = was.Limits.MaxRows, was.Limits.MaxBytes, was.Limits.Timeout
	next.Limits.ResultsMemory, next.Limits.ResultsWait = was.Limits.ResultsMemory, was.Limits.ResultsWait
	now := *was
	now.Limits, now.Guard, now.Cost, now.LateAfter = next.Limits, next.Guard, next.Cost, next.LateAfter
	s.use(now)
	return nil
}

// Register adds the service to a gRPC server.
func (s *Service) Register(r grpc.ServiceRegistrar) { chatbiv1.RegisterChatBIServiceServer(r, s) }

// Ready says whether statements can run: an engine that has lost places which it
// cannot get back is told, and one that has lost all of them answers nobody.
//
// Where results cannot be kept, answers come with their first page, and say so.
func (s *Service) Ready(ctx context.Context) error {
	err := s.engines.health()
	if fault.ReasonOf(err) == duckdb.ReasonStuck {
		return err
	}
	if s.deps.Database != nil {
		err = errors.Join(err, s.deps.Database.Ready(ctx))
	}
	if s.deps.Files != nil {
		err = errors.Join(err, s.deps.Files.Ready(ctx))
	}
	return rpc.Degraded(err)
}

// Close ends the statements that still run and closes the engines and the result
// store.
func (s *Service) Close() error {
	s.stop()
	err := s.engines.close()
	s.background.Wait()
	err = errors.Join(err, s.results.close(), s.journal.close())
	if s.deps.Database != nil {
		err = errors.Join(err, s.deps.Database.Close())
	}
	return err
}

// ExecuteAndAnalyze implements chatbiv1.ChatBIServiceServer.
func (s *Service) ExecuteAndAnalyze(req *chatbiv1.ExecuteAndAnalyzeRequest, stream grpc.ServerStreamingServer[chatbiv1.ExecuteAndAnalyzeResponse]) error {
	var res *chatbiv1.ExecuteResult
	var trace *commonv1.RunTrace
	if err := sendingProgress(func(p *chatbiv1.ExecuteProgress) error {
		return stream.Send(&chatbiv1.ExecuteAndAnalyzeResponse{Event: &chatbiv1.ExecuteAndAnalyzeResponse_Progress{Progress: p}})
	}, func(progress func(Progress)) (err error) {
		res, trace, err = s.execute(stream.Context(), req.GetQuery(), progress)
		return err
	}); err != nil {
		return err
	}
	return stream.Send(&chatbiv1.ExecuteAndAnalyzeResponse{Event: &chatbiv1.ExecuteAndAnalyzeResponse_Result{Result: res}, Trace: trace})
}

// ExecuteAndAnalyzeUnary implements chatbiv1.ChatBIServiceServer.
func (s *Service) ExecuteAndAnalyzeUnary(ctx context.Context, req *chatbiv1.ExecuteAndAnalyzeUnaryRequest) (*chatbiv1.ExecuteAndAnalyzeUnaryResponse, error) {
	res, trace, err := s.execute(ctx, req.GetQuery(), func(Progress) {})
	if err != nil {
		return nil, err
	}
	return &chatbiv1.ExecuteAndAnalyzeUnaryResponse{Result: res, Trace: trace}, nil
}

func (s *Service) execute(ctx context.Context, q *chatbiv1.ExecuteQuery, progress func(Progress)) (*chatbiv1.ExecuteResult, *commonv1.RunTrace, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, nil, err
	}
	var query Query
	a, trace, err := recorded(ctx, "chatbi.execute", func(ctx context.Context) (Answer, run.Outcome, error) {
		query = s.toQuery(ctx, q)
		a, err := s.Execute(ctx, p, query, progress)
		return a, cameTo(a, err), err
	})
	if err != nil {
		return nil, nil, err
	}
	res, err := s.fromAnswer(query, a)
	if err != nil {
		return nil, nil, err
	}
	return res, trace, nil
}

// recorded runs a job as a step that says what it came to, and returns the trace of what
// was done in it.
func recorded[A any](ctx context.Context, name string, job func(context.Context) (A, run.Outcome, error)) (A, *commonv1.RunTrace, error) {
	recorder := run.NewRecorder(run.DefaultTraceBytes)
	ctx, step := run.Start(run.WithRecorder(ctx, recorder), name)
	a, outcome, err := job(ctx)
	step.SetOutcome(outcome)
	run.Conclude(ctx, outcome)
	step.End(err)
	return a, runpb.ToTrace(recorder), err
}

// sendingProgress runs a job that tells its progress: an engine does so from a goroutine of its own,
// so one is sent at a time, and none when the job has ended.
func sendingProgress(send func(*chatbiv1.ExecuteProgress) error, job func(progress func(Progress)) error) error {
	var mu sync.Mutex
	done := false
	err := job(func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		if done {
			return
		}
		m := &chatbiv1.ExecuteProgress{Phase: p.Phase, Fraction: p.Fraction, Rows: p.Rows}
		if p.FirstPage != nil { // one that cannot be told now is an error with the result
			m.FirstPage, _ = fromPage(*p.FirstPage)
		}
		// A failed send means that the caller has gone; its context says so too.
		_ = send(m)
	})
	mu.Lock()
	defer mu.Unlock()
	done = true
	return err
}

// GetResultPage implements chatbiv1.ChatBIServiceServer.
func (s *Service) GetResultPage(ctx context.Context, req *chatbiv1.GetResultPageRequest) (*chatbiv1.GetResultPageResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	results, err := s.results.open(ctx)
	if err != nil {
		return nil, err
	}
	size := int(req.GetPageSize())
	if size <= 0 {
		size = s.config().Limits.PageSize
	}
	page, err := results.Page(ctx, p, req.GetResultId(), req.GetPageToken(), size, int64(s.config().Limits.MaxPageBytes))
	if err != nil {
		return nil, err
	}
	m, err := fromPage(page)
	if err != nil {
		return nil, err
	}
	return &chatbiv1.GetResultPageResponse{Page: m}, nil
}

// DeleteResult implements chatbiv1.ChatBIServiceServer.
func (s *Service) DeleteResult(ctx context.Context, req *chatbiv1.DeleteResultRequest) (*chatbiv1.DeleteResultResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	results, err := s.results.open(ctx)
	if err != nil {
		return nil, err
	}
	rows, bytes, err := results.Delete(ctx, p, req.GetResultId())
	if err != nil {
		return nil, err
	}
	s.log.InfoContext(ctx, "a result was deleted by its owner", "principal", p.ID, "result", req.GetResultId(), "rows", rows, "bytes", bytes)
	return &chatbiv1.DeleteResultResponse{Rows: rows, Bytes: bytes}, nil
}

// EstimateCost implements chatbiv1.ChatBIServiceServer. What the guard refuses has
// its status.
func (s *Service) EstimateCost(ctx context.Context, req *chatbiv1.EstimateCostRequest) (*chatbiv1.EstimateCostResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.untilClose(ctx)
	defer cancel()
	q := Query{Source: orDefault(req.GetSource(), s.config().DefaultSource), SQL: req.GetSql()}
	x, release, err := s.engines.acquire(ctx, q.Source)
	if err != nil {
		return nil, err
	}
	defer release()
	approved, known, err := s.approve(ctx, p, q, x)
	if err != nil {
		return nil, err
	}
	var fresh []*commonv1.TableFreshness
	if req.GetFreshness() {
		for i, name := range approved.Tables() {
			fresh = append(fresh, fromFreshness(x.freshnessOf(ctx, p, known, name, i < freshTables && !approved.Protected())))
		}
	}
	if approved.Protected() { // not even asked for: how long it takes would tell too
		e := Estimate{}.told(approved)
		return &chatbiv1.EstimateCostResponse{Rows: e.Rows, Bytes: e.Bytes, Method: e.Method, Partitions: -1, Tables: fresh}, nil
	}
	e, err := s.explain(ctx, p, x, approved, run.From(ctx).Now)
	if err != nil {
		return nil, err
	}
	told := e.Partitions
	if told == 0 {
		told = -1
	}
	return &chatbiv1.EstimateCostResponse{Rows: e.Rows, Bytes: e.Bytes, Method: e.Method, Plan: e.Plan, Partitions: told, Tables: fresh}, nil
}

// untilClose returns a context that ends with the service too: so that nothing of a
// call is left on an engine's server.
func (s *Service) untilClose(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.ctx, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

func principal(ctx context.Context) (run.Principal, error) {
	p := run.From(ctx).Principal
	if p.IsZero() {
		return p, fault.New(codes.Unauthenticated, "UNAUTHENTICATED", "nobody is signed in: give a token")
	}
	return p, nil
}

func fromPage(p store.Page) (*commonv1.ResultPage, error) {
	m, err := resultpb.ToPage(p.Table)
	if err != nil {
		return nil, err
	}
	m.ResultId, m.TotalRows, m.NextPageToken = p.ResultID, p.TotalRows, p.NextToken
	return m, nil
}
