package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/propagation"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/circuit"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// Loki asks a Loki server over its HTTP API.
type Loki struct {
	base   *url.URL
	token  func() (string, error)
	client *http.Client
	limits Limits
	meter  *meter.Set
	// circuit counts requests without an answer.
	circuit *circuit.Breaker
	pause   time.Duration
	looking atomic.Bool // it is asked whether it is there
}

// LokiConfig says where Loki is.
type LokiConfig struct {
	// URL is http(s)://host:port, with a path where a proxy adds one.
	URL string
	// Token returns the bearer token of each request; nil: none is sent.
	Token   func() (string, error)
	Timeout time.Duration
	Limits  Limits
	// After so many requests in a row without an answer, Loki is left alone for Pause, then
	// one tries.
	Failures int
	Pause    time.Duration
	// Clock measures the pause; nil: the wall clock.
	Clock func() time.Time
	// Meter measures what Loki is asked; nil: nobody does.
	Meter *meter.Set
}

// NewLoki returns a client. It connects when it is asked.
func NewLoki(c LokiConfig) (*Loki, error) {
	base, err := url.Parse(c.URL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil {
		return nil, errors.New("logify.loki_url has to be http(s)://host:port, without a user")
	}
	return &Loki{base: base, token: c.Token, limits: c.Limits, meter: c.Meter, circuit: circuit.New(c.Failures, c.Pause, c.Clock), pause: c.Pause, client: &http.Client{
		Timeout: c.Timeout,
		// A redirect would carry the token and the tenant elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// get asks for a path below /loki/api/v1 and reads the data of the answer.
func (l *Loki) get(ctx context.Context, scope Scope, path string, values url.Values, into any) error {
	answered := l.meter.Ask(ctx, meter.Loki, meter.OpQuery)
	err := l.inTurn(ctx, func() error { return l.ask(ctx, scope, path, values, into) })
	answered(meter.ResultOf(err))
	return err
}

// inTurn asks unless Loki is left alone, and notes whether it answered.
func (l *Loki) inTurn(ctx context.Context, ask func() error) error {
	if wait, ok := l.circuit.Allow(); !ok {
		since, _ := l.circuit.Open()
		f := unavailable(fmt.Sprintf("Loki does not answer since %s and is left alone for a moment. Try again in %s.", since.UTC().Format(time.TimeOnly+" UTC"), wait.Truncate(time.Second)+time.Second))
		f.RetryAfter = wait
		return f
	}
	err := ask()
	switch {
	case ctx.Err() != nil:
		l.circuit.Done(circuit.Unclear)
	case errors.As(err, new(noAnswer)):
		l.circuit.Done(circuit.Broken)
	default:
		l.circuit.Done(circuit.Healthy)
	}
	return err
}

// noAnswer is the cause of an error where Loki did not answer as Loki does.
type noAnswer struct{ error }

func (e noAnswer) Unwrap() error { return e.error }

// Health tells that Loki does not answer; nil: it does, as far as is known. While it does
// not, it is asked every pause whether it is there again.
func (l *Loki) Health() error {
	since, open := l.circuit.Open()
	if !open {
		return nil
	}
	if l.looking.CompareAndSwap(false, true) {
		go func() {
			defer l.looking.Store(false)
			_ = l.inTurn(context.Background(), func() error { // what it finds is noted
				response, err := l.client.Get(l.base.JoinPath("loki/api/v1/status/buildinfo").String())
				if err != nil {
					return noAnswer{err}
				}
				return response.Body.Close()
			})
		}()
	}
	return unavailable(fmt.Sprintf("Loki does not answer since %s; it is asked every %s.", since.UTC().Format(time.RFC3339), l.pause))
}

func (l *Loki) ask(ctx context.Context, scope Scope, path string, values url.Values, into any) error {
	u := l.base.JoinPath("loki/api/v1", path)
	u.RawQuery = values.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return fmt.Errorf("ask Loki: %w", err)
	}
	request.Header.Set("Accept", "application/json")
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(request.Header))
	if scope.Tenant != "" {
		request.Header.Set("X-Scope-OrgID", scope.Tenant)
	}
	if l.token != nil {
		token, err := l.token()
		if err != nil {
			return unavailable("The token for Loki cannot be read.").Because(err)
		}
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
	}
	response, err := l.client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if late, ok := err.(interface{ Timeout() bool }); ok && late.Timeout() {
			return unavailable(fmt.Sprintf("Loki did not answer within %s. Ask for less time or fewer lines, or try again later.", l.client.Timeout)).Because(noAnswer{bare(err)})
		}
		return unavailable("Loki cannot be reached. Try again later, or ask whoever runs it.").Because(noAnswer{bare(err)})
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	body, err := io.ReadAll(io.LimitReader(response.Body, l.limits.Bytes+1))
	switch {
	case err != nil:
		return unavailable("Loki's answer broke off. Try again.").Because(noAnswer{bare(err)})
	case response.StatusCode != http.StatusOK:
		return refusal(response.StatusCode, string(body[:min(len(body), 500)]))
	case int64(len(body)) > l.limits.Bytes:
		return fault.New(codes.ResourceExhausted, "LOGS_TOO_LARGE",
			fmt.Sprintf("Loki's answer has more than %d bytes (logify.max_bytes): ask for less time, fewer lines or fewer series.", l.limits.Bytes))
	}
	var answer struct {
		Status string          `json:"status"`
		Data   json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Status != "success" {
		return unavailable("What answers at logify.loki_url does not speak Loki's API.").Because(noAnswer{bare(err)})
	}
	if len(answer.Data) == 0 || string(answer.Data) == "null" {
		return nil
	}
	if err := json.Unmarshal(answer.Data, into); err != nil {
		return unavailable("Loki's answer cannot be read.").Because(err)
	}
	return nil
}

// lokiRetryAfter is when it is worth asking again what Loki did not answer.
const lokiRetryAfter = 5 * time.Second

func unavailable(message string) *fault.Error {
	f := fault.New(codes.Unavailable, "LOKI_UNAVAILABLE", message)
	f.RetryAfter = lokiRetryAfter
	return f
}

// TooSlow is the error where the logs did not tell their labels within a time.
func TooSlow(most time.Duration) error {
	return unavailable(fmt.Sprintf("The logs did not tell their labels within %s. Try again later, or ask whoever runs them.", most))
}

// bare is an error without the end of a context in it: the caller's has not ended.
func bare(err error) error {
	if err == nil {
		return errors.New("no error")
	}
	return errors.New(err.Error())
}

// refusal turns a status of Loki into a fault. Loki's own text says what a person can
// mend in a query; it goes into the message labelled as Loki's for those alone.
func refusal(status int, text string) error {
	text = strings.Join(strings.Fields(text), " ")
	switch status {
	case http.StatusBadRequest:
		return fault.New(codes.InvalidArgument, "LOKI_REFUSED", "Loki refused the query: "+text)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fault.New(codes.PermissionDenied, "LOKI_FORBIDDEN", "Loki does not let you in: ask whoever runs it for the tenant's right.").ForOperator("Loki: %s", text)
	case http.StatusTooManyRequests:
		return fault.New(codes.ResourceExhausted, "LOKI_LIMIT", "Loki's limits are reached: "+text)
	}
	return unavailable("Loki failed (status "+strconv.Itoa(status)+"). Try again later.").ForOperator("Loki: %s", text)
}

// selector writes the restriction of a scope, or a selector that all streams pass
// which have the label.
func selector(scope Scope, label string) string {
	matchers := slices.Clone(scope.Streams)
	if len(matchers) == 0 {
		if label == "" {
			return ""
		}
		matchers = []logql.Matcher{{Label: label, Op: logql.Match, Value: ".+"}}
	}
	return logql.Print(&logql.LogExpr{Matchers: matchers})
}

func window(from, to time.Time) url.Values {
	return url.Values{"start": {nanoseconds(from)}, "end": {nanoseconds(to)}}
}

func nanoseconds(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// Labels returns the labels of the streams that a scope sees.
func (l *Loki) Labels(ctx context.Context, scope Scope, now time.Time) ([]Label, error) {
	var names []string
	ask := window(now.Add(-Samples), now)
	if s := selector(scope, ""); s != "" {
		ask.Set("query", s)
	}
	if err := l.get(ctx, scope, "labels", ask, &names); err != nil {
		return nil, err
	}
	slices.Sort(names)
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "__") })
	var out []Label
	for _, name := range names[:min(len(names), l.limits.Labels)] {
		var values []string
		if err := l.get(ctx, scope, "label/"+url.PathEscape(name)+"/values", ask, &values); err != nil {
			return nil, err
		}
		slices.Sort(values)
		out = append(out, Label{name, values[:min(len(values), l.limits.Values)]})
	}
	return out, nil
}

// Sample returns recent lines of the streams that a scope sees.
func (l *Loki) Sample(ctx context.Context, scope Scope, labels []Label, now time.Time) ([]logql.Entry, error) {
	if len(labels) == 0 {
		return nil, nil
	}
	// The label with the most values is the one that all streams are likeliest to
	// have; a selector needs one.
	most := slices.MaxFunc(labels, func(a, b Label) int { return len(a.Values) - len(b.Values) })
	e, err := logql.Parse(selector(scope, most.Name))
	if err != nil {
		return nil, err
	}
	out, err := l.Query(ctx, scope, e, logql.Window{From: now.Add(-Samples), To: now, Limit: l.limits.Lines})
	if err != nil {
		return nil, err
	}
	return out.Lines, nil
}

type lokiResult struct {
	ResultType string `json:"resultType"`
	Result     json.RawMessage
}

type lokiSeries struct {
	Stream map[string]string    `json:"stream"`
	Metric map[string]string    `json:"metric"`
	Value  []json.RawMessage    `json:"value"`
	Values [][2]json.RawMessage `json:"values"`
}

// Query runs a query that the guard has passed.
func (l *Loki) Query(ctx context.Context, scope Scope, e logql.Expr, w logql.Window) (*logql.Output, error) {
	_, lines := e.(*logql.LogExpr)
	e, w, later, err := aligned(e, w)
	if err != nil {
		return nil, err
	}
	ask, path := window(w.From, w.To), "query_range"
	ask.Set("query", logql.Print(e))
	switch {
	case lines:
		ask.Set("limit", strconv.Itoa(entries(w.Limit)))
		ask.Set("direction", "backward")
	case w.Step > 0:
		ask.Set("step", strconv.FormatFloat(w.Step.Seconds(), 'f', -1, 64))
	default:
		path = "query"
		ask = url.Values{"query": {logql.Print(e)}, "time": {nanoseconds(w.To)}}
	}
	var result lokiResult
	if err := l.get(ctx, scope, path, ask, &result); err != nil {
		return nil, err
	}
	out := &logql.Output{Metric: !lines}
	if err := l.read(result, out); err != nil {
		return nil, err
	}
	for i := range out.Points {
		out.Points[i].Time = out.Points[i].Time.Add(-later)
	}
	if result.ResultType == "scalar" { // Loki 3.4 gives its time in another unit
		out.Points[0].Time = w.To
	}
	if lines {
		slices.SortStableFunc(out.Lines, func(a, b logql.Entry) int { return b.Time.Compare(a.Time) })
		if full := len(out.Lines) >= entries(w.Limit); w.Limit > 0 && full {
			out.Lines, out.Cut = out.Lines[:min(len(out.Lines), w.Limit)], true
		}
	}
	if w.Step > 0 { // Loki gives series after series
		slices.SortStableFunc(out.Points, func(a, b logql.Point) int { return a.Time.Compare(b.Time) })
	}
	return l.limits.bound(out)
}

// entriesLimit is how many lines a Loki gives at once which nobody configured otherwise
// (max_entries_limit_per_query); it refuses to be asked for more.
const entriesLimit = 5000

// entries is how many lines are asked for: one more than are wanted tells whether there
// are more. Where that one would be refused, a full answer counts as cut off.
func entries(limit int) int {
	if limit == entriesLimit {
		return limit
	}
	return limit + 1
}

// aligned moves a metric that is computed in steps to multiples of its step, counted
// from 1970 in UTC: Loki computes at those whatever it is asked, which would cut the
// hours of India and the days of nearly everybody elsewhere. What is computed later
// looks back by as much more, so that it is the same.
func aligned(e logql.Expr, w logql.Window) (logql.Expr, logql.Window, time.Duration, error) {
	if w.Step <= 0 {
		return e, w, 0, nil
	}
	over := time.Duration(w.From.UnixNano() % int64(w.Step))
	if over == 0 {
		return e, w, 0, nil
	}
	later := w.Step - over
	moved, err := logql.Parse(logql.Print(e)) // a copy
	if err != nil {
		return nil, w, 0, fmt.Errorf("a printed query cannot be read: %w", err)
	}
	logql.Ranges(moved, func(r *logql.RangeAgg) { r.Offset += later })
	// Loki rounds the end up; what would be computed there was not asked for.
	steps := w.To.Sub(w.From) / w.Step
	w.From = w.From.Add(later)
	w.To = w.From.Add(steps * w.Step)
	return moved, w, later, nil
}

func (l *Loki) read(result lokiResult, out *logql.Output) error {
	broken := func(err error) error { return unavailable("Loki's answer cannot be read.").Because(err) }
	if result.ResultType == "scalar" {
		var value []json.RawMessage
		if err := json.Unmarshal(result.Result, &value); err != nil {
			return broken(err)
		}
		return l.point(value, nil, out)
	}
	var series []lokiSeries
	if len(result.Result) > 0 {
		if err := json.Unmarshal(result.Result, &series); err != nil {
			return broken(err)
		}
	}
	if len(series) > l.limits.Series && result.ResultType != "streams" {
		return fault.New(codes.ResourceExhausted, "LOGS_TOO_MANY_SERIES",
			fmt.Sprintf("The result has %d series, at most %d are taken (logify.max_series): group by fewer labels.", len(series), l.limits.Series))
	}
	for _, s := range series {
		switch result.ResultType {
		case "streams":
			for _, v := range s.Values {
				var at, line string
				if json.Unmarshal(v[0], &at) != nil || json.Unmarshal(v[1], &line) != nil {
					return broken(nil)
				}
				n, err := strconv.ParseInt(at, 10, 64)
				if err != nil {
					return broken(err)
				}
				out.Lines = append(out.Lines, logql.Entry{Time: time.Unix(0, n).UTC(), Labels: s.Stream, Line: line})
			}
		case "vector":
			if err := l.point(s.Value, s.Metric, out); err != nil {
				return err
			}
		default:
			for _, v := range s.Values {
				if err := l.point(v[:], s.Metric, out); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (l *Loki) point(pair []json.RawMessage, labels map[string]string, out *logql.Output) error {
	var at float64
	var text string
	if len(pair) != 2 || json.Unmarshal(pair[0], &at) != nil || json.Unmarshal(pair[1], &text) != nil {
		return unavailable("Loki's answer cannot be read.")
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return unavailable("Loki's answer cannot be read.").Because(err)
	}
	out.Points = append(out.Points, logql.Point{Time: time.UnixMilli(int64(at * 1000)).UTC(), Labels: labels, Value: value})
	return nil
}
