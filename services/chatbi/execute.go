package chatbi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogrpc"
	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// Outcome says what came of a statement.
type Outcome int

// Outcomes, in the contract's order.
const (
	OutcomeUnknown Outcome = iota
	OutcomeDone
	OutcomeAsk
	OutcomeRefused
	OutcomeFailed
)

// Query is a statement to run.
type Query struct {
	Source        string
	SQL           string
	Question      string
	Metrics       []string // "name: definition"
	Labels        []Label
	Assumptions   []string
	Confidence    float64
	Language      lang.Language
	Now           time.Time // in the asker's time zone
	PageSize      int
	Wanted        chart.Kind
	CostConfirmed bool
	Fresh         bool // the engine runs it even where its rows are stored
}

// Problem is why a statement was refused or failed.
type Problem struct {
	Code         string // Trino's error name, or the guard's
	Message      string
	Line, Column int // from 1; 0: none
	Suggestions  []string
}

// Answer is what came of a Query.
type Answer struct {
	Outcome     Outcome
	Analysis    analyse.Output
	Page        store.Page
	Certificate Certificate
	SQL         string
	Changes     []guard.Change
	Estimate    Estimate // when the outcome is Ask
	Tables      []catalog.Name
	Problem     *Problem
	EngineTime  time.Duration
	// ReadAt is when an earlier run of the statement read the rows; zero: this one did.
	ReadAt time.Time
}

// Progress is told while a statement runs. Phases are those of the contract.
type Progress struct {
	Phase    string
	Fraction float64 // negative: not known
	Rows     int64
	// FirstPage are the first rows, once, while the rest still comes.
	FirstPage *store.Page
}

// Execute guards, runs and analyses a statement. What the guard refuses and what
// the engine fails is an Answer; an error is of the service or of the caller.
func (s *Service) Execute(ctx context.Context, p run.Principal, q Query, progress func(Progress)) (Answer, error) {
	ctx, cancel := s.untilClose(ctx)
	defer cancel()
	x, release, err := s.engines.acquire(ctx, q.Source)
	if err != nil {
		return Answer{}, err
	}
	defer release()
	progress(Progress{Phase: "guard", Fraction: -1})
	approved, known, err := s.approve(ctx, p, q, x)
	if refusal := (*guard.Refusal)(nil); errors.As(err, &refusal) {
		return s.refused(q, problemOf(refusal)), nil
	}
	if err != nil {
		return Answer{}, err
	}
	a := Answer{SQL: approved.Shown(), Changes: approved.Changes(), Tables: approved.Tables()}
	held := s.memory.part()
	defer held.release()
	read := s.reader(p, q, held, progress)
	defer read.discard(ctx)
	read.key = s.reuseKey(q.Source, x, approved, read.limits)
	if !q.Fresh && read.reuse(ctx) {
		auditRead(ctx, approved)
		progress(Progress{Phase: "analysing", Fraction: -1, Rows: read.rows})
		a.ReadAt = read.at
		s.analyse(ctx, p, q, x, approved, known, &read.fetched, &a)
		err = s.keep(ctx, p, q, read, &a)
		return a, err
	}
	if stop, err := s.checkCost(ctx, p, q, x, approved, &a); stop || err != nil {
		return a, err
	}
	stats, err := s.fetch(ctx, p, x, approved, read.limits, read, progress)
	read.truncated = stats.Truncated
	a.EngineTime = stats.Elapsed
	if err != nil {
		problem := s.engineProblem(ctx, err, q.Language, approved)
		if problem == nil {
			return Answer{}, err
		}
		s.fail(&a, q, OutcomeFailed, "failed", problem)
		return a, nil
	}
	progress(Progress{Phase: "analysing", Fraction: -1, Rows: read.rows})
	s.analyse(ctx, p, q, x, approved, known, &read.fetched, &a)
	read.describe(ctx, a.Analysis.Columns)
	err = s.keep(ctx, p, q, read, &a)
	return a, err
}

// approve asks findata for the tables that the statement names and the guard for
// its yes.
func (s *Service) approve(ctx context.Context, p run.Principal, q Query, x *engine) (approved guard.Approved, known *catalogrpc.Excerpt, err error) {
	ctx, step := run.Start(ctx, "chatbi.guard")
	defer func() { step.End(err) }()
	defaults := catalog.Defaults{Region: x.generation.DefaultRegion, Schema: x.generation.DefaultSchema}
	var names []catalog.Name
	if stmt, err := parser.Parse(q.SQL); err == nil { // what cannot be read, the guard refuses below
		names = catalogrpc.Names(stmt)
	}
	known, err = catalogrpc.Describe(ctx, s.deps.Catalog, q.Source, defaults, names, nil)
	if err != nil {
		return guard.Approved{}, nil, err
	}
	terms, err := s.terms(q.Source, x)
	if err != nil {
		return guard.Approved{}, nil, err
	}
	scope := resolve.Scope{Catalog: known, DefaultRegion: defaults.Region, DefaultSchema: defaults.Schema}
	approved, err = s.settings.Load().guard.Under(terms).Approve(ctx, p, q.SQL, scope)
	return approved, known, err
}

// checkCost reports whether the cost gate ends the matter, with an answer.
func (s *Service) checkCost(ctx context.Context, p run.Principal, q Query, x *engine, approved guard.Approved, a *Answer) (stop bool, err error) {
	ctx, step := run.Start(ctx, "chatbi.estimate")
	defer func() { step.End(withheld(approved, err)) }()
	estimate, err := s.estimateOf(ctx, p, x, approved, q.Now)
	if err != nil {
		problem := s.engineProblem(ctx, err, q.Language, approved)
		if problem == nil {
			return true, err
		}
		s.fail(a, q, OutcomeFailed, "failed", problem)
		return true, nil
	}
	a.Estimate = estimate.told(approved)
	step.Set("rows", fmt.Sprint(a.Estimate.Rows))
	action := s.gate(estimate, x.Kind(), q.CostConfirmed)
	switch text := s.costText(action, a.Estimate, a.Tables, q.Language); action {
	case CostAsk:
		a.Outcome, a.Analysis.Answer = OutcomeAsk, text
		return true, nil
	case CostRefuse:
		s.fail(a, q, OutcomeRefused, "", costRefused(text))
		return true, nil
	}
	return false, nil
}

// auditRead has the audit line of the call name the tables whose rows somebody gets, be they read again or kept.
func auditRead(ctx context.Context, approved guard.Approved) {
	for _, name := range approved.Tables() {
		rpc.AuditTables(ctx, name.String())
	}
}

// rowsTo is where the rows of a statement go.
type rowsTo interface {
	// begin is told the columns, once, before any rows.
	begin(ctx context.Context, columns []result.Column) error
	// add takes rows. How many it wants at a time it says with most.
	add(ctx context.Context, rows [][]any) error
	most() int
}

// fetch runs the statement and hands its rows on within the limits.
func (s *Service) fetch(ctx context.Context, p run.Principal, x *engine, approved guard.Approved, limits LimitConfig, to rowsTo, progress func(Progress)) (stats warehouse.Stats, err error) {
	ctx, step := run.Start(ctx, "chatbi.run", "engine", x.Kind())
	defer func() { step.End(withheld(approved, err)) }()
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Timeout, errTimeLimit)
	defer cancel()
	auditRead(ctx, approved)
	rows, err := x.Query(ctx, p, approved, warehouse.Options{
		MaxRows: limits.MaxRows, MaxBytes: limits.MaxBytes, Timeout: limits.Timeout, Tag: run.From(ctx).Tag(),
		Started: func(queryID string) { step.Set("query_id", queryID) },
		Progress: func(at warehouse.Progress) {
			phase := "running"
			if at.State == "queued" {
				phase = "queued"
			}
			told := Progress{Phase: phase, Fraction: at.Fraction, Rows: at.Rows}
			if approved.Protected() { // how far an engine is counts rows that the policy leaves out
				told.Fraction, told.Rows = -1, 0
			}
			progress(told)
		},
	})
	if err != nil {
		return stats, cause(ctx, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns := make([]result.Column, 0, len(rows.Columns()))
	for _, c := range rows.Columns() {
		columns = append(columns, result.Column{Name: c.Name, Type: c.Type})
	}
	if err := to.begin(ctx, columns); err != nil {
		return stats, ended(ctx, err)
	}
	for {
		page, err := rows.Next(ctx, to.most())
		if full := to.add(ctx, page); full != nil {
			return rows.Stats(), ended(ctx, full)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return rows.Stats(), cause(ctx, err)
		}
	}
	stats = rows.Stats()
	step.Set("rows", fmt.Sprint(stats.Rows))
	return stats, nil
}

// errTimeLimit tells the service's own deadline from the caller's.
var errTimeLimit = errors.New("the statement's time limit")

func cause(ctx context.Context, err error) error {
	if why := context.Cause(ctx); why != nil {
		return fmt.Errorf("run the statement: %w", errors.Join(why, err))
	}
	return fmt.Errorf("run the statement: %w", err)
}

// ended is the error of what stopped to take rows: where the statement's time or its caller
// had ended, that is why.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return cause(ctx, err)
	}
	return err
}

// engineProblem is the problem that a failure of the engine is; nil when it is no
// failure of the statement: the caller went away, or the service is at fault. What
// an engine says of a protected statement may quote a value that the asker must
// not see, and speaks of a text that the asker does not know: which error it is on
// the data tells of values too, so all of those are one.
func (s *Service) engineProblem(ctx context.Context, err error, l lang.Language, approved guard.Approved) *Problem {
	if ctx.Err() != nil || s.ctx.Err() != nil {
		return nil
	}
	var failure *warehouse.Error
	isFailure := errors.As(err, &failure)
	var unsupported *duckdb.NotSupported
	switch {
	case errors.Is(err, errTimeLimit), isFailure && failure.Name == warehouse.NameTimeLimit:
		message := s.analyst.Sentence(l, "timed_out", map[string]string{"limit": s.config().Limits.Timeout.String()})
		return &Problem{Code: warehouse.NameTimeLimit, Message: message}
	case errors.As(err, &unsupported):
		if approved.Protected() && !unsupportedAsAsked(approved, &unsupported) { // it is the policy that asks for it
			return &Problem{Code: "NOT_SUPPORTED", Message: s.analyst.Sentence(l, "failed_protected", map[string]string{"name": "NOT_SUPPORTED"})}
		}
		return &Problem{Code: "NOT_SUPPORTED", Message: unsupported.Error(), Line: unsupported.Line, Column: unsupported.Column}
	case isFailure && failure.Name != warehouse.NameCanceled && approved.Protected():
		name := protectedName(failure)
		return &Problem{Code: name, Message: s.analyst.Sentence(l, "failed_protected", map[string]string{"name": name})}
	case isFailure && failure.Name != warehouse.NameCanceled:
		return &Problem{Code: failure.Name, Message: failure.Message, Line: failure.Line, Column: failure.Column}
	}
	return nil
}

// CodeData is the one error of a protected statement that fails on data.
const CodeData = "DATA_ERROR"

// protectedName is what is told of a failure of a protected statement: what the
// engine lacks or forbids by its name, all that depends on values as one.
func protectedName(failure *warehouse.Error) string {
	switch failure.Kind {
	case warehouse.KindResources, warehouse.KindInternal, warehouse.KindExternal:
		return string(failure.Kind)
	}
	switch failure.Name {
	case warehouse.NameMemoryLimit:
		return string(warehouse.KindResources)
	case warehouse.NameInternal:
		return string(warehouse.KindInternal)
	case warehouse.NameTimeLimit, warehouse.NamePermission, "TABLE_NOT_FOUND", "COLUMN_NOT_FOUND", "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND",
		"NOT_SUPPORTED", "FUNCTION_NOT_FOUND":
		return failure.Name
	}
	return CodeData
}

// withheld is an error as the steps of a run tell it: what an engine says of a
// protected statement stays out of them.
func withheld(approved guard.Approved, err error) error {
	var failure *warehouse.Error
	if !approved.Protected() || !errors.As(err, &failure) {
		return err
	}
	return &warehouse.Error{Name: protectedName(failure), Kind: failure.Kind, Message: "the engine's own words are not shown: rows or values of a table are protected"}
}

// unsupportedAsAsked reports that the embedded engine cannot do what the asker
// wrote either, and puts what it says about that in the place of what it said.
func unsupportedAsAsked(approved guard.Approved, unsupported **duckdb.NotSupported) bool {
	_, err := duckdb.TranspileResolved(approved.Asked())
	return errors.As(err, unsupported)
}

func problemOf(r *guard.Refusal) *Problem {
	return &Problem{Code: r.Code, Message: r.Message, Line: r.Line, Column: r.Column, Suggestions: r.Suggestions}
}

func (s *Service) refused(q Query, problem *Problem) Answer {
	var a Answer
	s.fail(&a, q, OutcomeRefused, "refused", problem)
	return a
}

// fail ends an answer without a result. An empty key means that the message is
// the whole sentence.
func (s *Service) fail(a *Answer, q Query, outcome Outcome, key string, problem *Problem) {
	a.Outcome, a.Problem = outcome, problem
	a.Analysis.Answer = problem.Message
	if key != "" {
		a.Analysis.Answer = s.analyst.Sentence(q.Language, key, map[string]string{"reason": strings.TrimRight(problem.Message, ".。")})
	}
	a.Certificate = Certificate{Assumptions: q.Assumptions, Metrics: q.Metrics, AbstainedReason: problem.Code + ": " + problem.Message}
}

// keep finishes the stored result and cuts its first page. A store that is out of order
// costs the further pages, not the answer.
func (s *Service) keep(ctx context.Context, p run.Principal, q Query, read *reader, a *Answer) (err error) {
	ctx, step := run.Start(ctx, "chatbi.store")
	defer func() { step.End(err) }()
	a.Outcome = OutcomeDone
	a.Page, err = read.finish(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if read.rows > int64(len(read.head.Rows)) { // the rest is nowhere
		return err
	}
	s.log.WarnContext(ctx, "result not stored: only its first page can be read", "run_id", run.From(ctx).RunID, "error", err)
	a.Page = read.firstPage()
	if int64(len(a.Page.Rows)) < read.rows || fault.FromStatus(err).Code == codes.ResourceExhausted {
		a.Analysis.Warnings = append(a.Analysis.Warnings, analyse.Warning{Code: "RESULT_NOT_STORED", Message: s.analyst.Sentence(q.Language, "not_stored", nil)})
	}
	return nil
}
