package trino

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"

	driver "github.com/trinodb/trino-go-client/trino"

	"github.com/dibrain/dibrain/pkg/circuit"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// sourceName is what the server's logs and resource groups know statements by.
const sourceName = "dibrain"

// Engine is a warehouse.Engine.
type Engine struct {
	config  Config
	places  places
	client  *http.Client
	base    *http.Transport
	db      *sql.DB
	slots   *warehouse.Slots
	alive   alive
	circuit *circuit.Breaker
	looking atomic.Bool  // it is asked whether it is there
	lookAt  atomic.Int64 // when that was last, of a server that answers and takes no statements, in nanoseconds

	standing *standing
	// exchange has the tokens of people; nil: their statements are signed by the service.
	exchange *exchanger
}

var _ warehouse.Engine = (*Engine)(nil)

// Open prepares an engine. It reads the files that the connection names and asks
// the server nothing: a server that is away shows when a statement is run.
func Open(ctx context.Context, config Config) (*Engine, error) {
	config = config.withDefaults()
	c := config.Connection
	if err := c.Check(); err != nil {
		return nil, err
	}
	server, err := url.Parse(c.URL)
	if err != nil {
		return nil, fmt.Errorf("read the address of the Trino server: %w", err)
	}
	base, err := newBase(c, config.AnswerTimeout)
	if err != nil {
		return nil, err
	}
	auth, err := newCredentials(c, server)
	if err != nil {
		return nil, err
	}
	exchange, err := newExchanger(config)
	if err != nil {
		return nil, err
	}
	left, stands := circuit.New(config.Failures, config.Pause, config.Clock), &standing{clock: config.Clock}
	e := &Engine{
		circuit: left, standing: stands, exchange: exchange, config: config, places: newPlaces(config), base: base,
		client: &http.Client{Transport: &transport{base: base, auth: auth, circuit: left, standing: stands, away: func(wait time.Duration) error { return leftAlone(left, wait) }}, CheckRedirect: noRedirect},
		slots:  warehouse.NewSlots(config.Limits).Measured(config.Meter, meter.QueueTrino),
	}
	connector, err := driver.NewConnector(&driver.Config{
		ServerURI: (&url.URL{Scheme: server.Scheme, Host: server.Host, User: url.User(c.User)}).String(),
		Source:    sourceName, TimeZone: "UTC", HTTPClient: e.client,
		Catalog: e.places.defaultCatalog(), Schema: e.places.defaultSchema(),
		RequestRetryTimeout: &config.RetryTimeout,
	})
	if err != nil {
		return nil, fmt.Errorf("configure the Trino client: %w", err)
	}
	e.db = sql.OpenDB(connector)
	if c.Impersonate && !c.SignsIn() {
		config.Log.WarnContext(ctx, "Trino believes the user's name that it is told, for want of a password or token: anybody who reaches the server can be anybody", "server", c.URL)
	}
	return e, nil
}

// noRedirect keeps requests, and the password, at the configured server.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Kind implements warehouse.Engine.
func (e *Engine) Kind() string { return string(source.EngineTrino) }

// Health tells that the server does not answer, takes no statements, or leaves this process's
// in its queue; nil: none of it, as far as is known. While it is so, the server is asked
// every Config.Pause whether it is over.
func (e *Engine) Health() error {
	since, open := e.circuit.Open()
	if !open {
		return e.stands()
	}
	e.look(e.lookWhetherThere)
	return fault.New(codes.Unavailable, ReasonUnreachable, fmt.Sprintf(
		"Trino does not answer since %s; it is sent no statements until it does, and asked every %s.", since.UTC().Format(time.RFC3339), e.config.Pause)).
		ForOperator("the server is %s", e.config.Connection.URL)
}

// look asks the server something in the background, one thing at a time.
func (e *Engine) look(ask func(context.Context)) {
	if !e.looking.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer e.looking.Store(false)
		ctx, cancel := context.WithTimeout(context.Background(), e.config.AnswerTimeout)
		defer cancel()
		ask(ctx)
	}()
}

// lookAgain is look, where Config.Pause has passed since the last time.
func (e *Engine) lookAgain(ask func(context.Context)) {
	now, last := e.config.Clock().UnixNano(), e.lookAt.Load()
	if time.Duration(now-last) >= e.config.Pause && e.lookAt.CompareAndSwap(last, now) {
		e.look(ask)
	}
}

// lookWhetherThere asks the server for its name where it is time to, and closes the circuit
// when it answers. One that is starting answers too: what it says is kept.
func (e *Engine) lookWhetherThere(ctx context.Context) {
	if _, ok := e.circuit.Allow(); !ok {
		return
	}
	var info struct {
		Starting bool `json:"starting"`
	}
	if e.info(ctx, "/v1/info", &info) == nil && info.Starting {
		e.standing.note(nameStarting)
	}
}

// Close ends the statements that still run, on the server too, and takes no more.
func (e *Engine) Close() error {
	e.alive.close()
	err := e.db.Close()
	e.base.CloseIdleConnections()
	if err != nil {
		return fmt.Errorf("close the Trino client: %w", err)
	}
	return nil
}

// Query implements warehouse.Engine.
func (e *Engine) Query(ctx context.Context, principal run.Principal, approved guard.Approved, options warehouse.Options) (warehouse.Rows, error) {
	if err := warehouse.CheckApproval(principal, approved); err != nil {
		return nil, err
	}
	text, err := e.places.approved(approved)
	if err != nil {
		return nil, err
	}
	user, err := e.asker(principal)
	if err != nil {
		return nil, err
	}
	return e.start(ctx, principal, user, text, options)
}

// Metadata implements warehouse.Engine.
func (e *Engine) Metadata(ctx context.Context, principal run.Principal, statement meta.Statement, options warehouse.Options) (warehouse.Rows, error) {
	if statement.IsZero() {
		return nil, fault.New(codes.Internal, "STATEMENT_MISSING", "an empty metadata statement was given to the engine")
	}
	text, err := e.places.metadata(statement.Tree())
	if err != nil {
		return nil, err
	}
	user, err := e.user(principal)
	if err != nil {
		return nil, err
	}
	return e.start(ctx, principal, user, text, options)
}

// asker is who somebody is for Trino; nobody is not the service.
func (e *Engine) asker(principal run.Principal) (string, error) {
	if e.config.Connection.Impersonate && principal.ID == "" {
		return "", fault.New(codes.PermissionDenied, ReasonImpersonation, "nobody asks, and Trino has to be told who does")
	}
	return e.user(principal)
}

// user is who a principal is for Trino; without one the product asks for itself.
func (e *Engine) user(principal run.Principal) (string, error) {
	if !e.config.Connection.Impersonate || principal.ID == "" {
		return e.config.Connection.User, nil
	}
	if !source.HeaderSafe(principal.ID) {
		return "", fault.New(codes.PermissionDenied, ReasonImpersonation,
			fmt.Sprintf("Trino cannot be told the name '%s': names of users there are printable ASCII", principal.ID))
	}
	return principal.ID, nil
}

// signs returns what the requests of a principal's statement are sent with; nil: the service's
// own password or token. A person without a token is told so before anything is sent.
func (e *Engine) signs(ctx context.Context, principal run.Principal) (bearer, error) {
	if e.exchange == nil || principal.ID == "" {
		return nil, nil
	}
	b, err := e.exchange.bearerOf(ctx, principal.ID)
	if err != nil {
		return nil, err
	}
	_, err = b(ctx)
	return b, err
}

// start takes a slot, runs the statement, and hands both to the Rows.
func (e *Engine) start(ctx context.Context, principal run.Principal, user string, text sent, options warehouse.Options) (*rows, error) {
	options = e.config.Bound(options)
	signs, err := e.signs(ctx, principal)
	if err != nil {
		return nil, err
	}
	s := &statement{
		client: e.client, user: user, bearer: signs, progress: options.Progress, started: options.Started, begun: time.Now(), clock: e.config.Clock,
		began: e.config.Began, gone: e.config.Ended,
	}
	if options.Progress != nil {
		options.Progress(warehouse.Progress{Fraction: -1, State: "queued"})
	}
	giveBack, err := e.slots.Acquire(ctx, principal.ID)
	if err != nil {
		return nil, err
	}
	s.waited = time.Since(s.begun)
	ctx, cancel := context.WithTimeout(ctx, options.Timeout)
	s.cancel = cancel
	if err := e.alive.add(s); err != nil {
		cancel()
		giveBack()
		return nil, err
	}
	// The server learns at once that nobody waits any more, whatever the driver does.
	stopWatching := context.AfterFunc(ctx, s.end)
	release := func() {
		stopWatching()
		e.alive.remove(s)
		giveBack()
	}
	fail := func(err error) error {
		s.end()
		cancel()
		release()
		return err
	}
	explain := func(err error) error { return e.failure(ctx, err, s, options.Timeout, text.positions) }
	pages, err := e.submit(ctx, s, text.sql, options) //nolint:rowserrcheck // rows checks, when it has read the pages
	if err != nil {
		return nil, fail(explain(err))
	}
	r := &rows{
		cancel: cancel, pages: pages, statement: s, options: options, explain: explain, release: release,
	}
	if err := r.describe(); err != nil {
		return nil, r.abort(explain(err))
	}
	_, r.stats.Queued = s.identity()
	r.stats.SQL, r.stats.Elapsed = text.sql, time.Since(s.begun)
	return r, nil
}

// Trying a statement again that the server could not take: the pauses between two tries.
const (
	firstBackoff = 250 * time.Millisecond
	longestPause = 2 * time.Second
)

// submit sends the statement and waits for its first rows, or its end. It sends it
// again where Trino says that this helps, for Config.RetryTimeout after the first such
// answer; nothing was returned by then.
func (e *Engine) submit(ctx context.Context, s *statement, text string, options warehouse.Options) (*sql.Rows, error) {
	ctx = withBearer(withStatement(ctx, s), s.bearer)
	arguments := e.arguments(s.user, options)
	var until time.Time
	for wait := firstBackoff; ; wait = min(2*wait, longestPause) {
		pages, err := e.db.QueryContext(ctx, text, arguments...)
		if err == nil || !tryAgain(err) {
			return pages, err
		}
		if until.IsZero() {
			until = e.config.Clock().Add(e.config.RetryTimeout)
		}
		if e.config.Clock().Add(wait).After(until) {
			return nil, err
		}
		s.reset()
		if ended := e.config.Wait(ctx, wait); ended != nil {
			return nil, errors.Join(ended, err)
		}
	}
}

// arguments are the headers of one statement.
func (e *Engine) arguments(user string, options warehouse.Options) []any {
	session := maps.Clone(e.config.Connection.Session)
	if session == nil {
		session = map[string]string{}
	}
	if _, own := session["query_max_run_time"]; !own {
		// The server ends it too, should this process be gone by then.
		session["query_max_run_time"] = fmt.Sprintf("%dms", options.Timeout.Milliseconds()+1000)
	}
	properties := make([]string, 0, len(session))
	for _, name := range slices.Sorted(maps.Keys(session)) {
		properties = append(properties, name+"="+url.QueryEscape(session[name]))
	}
	arguments := []any{
		sql.Named("X-Trino-User", user),
		sql.Named("X-Trino-Session", strings.Join(properties, ",")),
	}
	if tag := headerText(options.Tag); tag != "" {
		arguments = append(arguments, sql.Named("X-Trino-Client-Tags", "dibrain,"+tag), sql.Named("X-Trino-Trace-Token", tag))
	} else {
		arguments = append(arguments, sql.Named("X-Trino-Client-Tags", "dibrain"))
	}
	return arguments
}

// headerText keeps what of a tag can stand in a header's list.
func headerText(tag string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' || r == ',' {
			return -1
		}
		return r
	}, tag)
}
