package logify_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/types/known/timestamppb"

	logifyv1 "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/pkg/telemetry/meter/metertest"
	"github.com/dibrain/dibrain/services/logify"
)

func now() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// as is a call of somebody, at the one time of these tests.
func as(t *testing.T, who string) context.Context {
	t.Helper()
	return run.With(t.Context(), run.Context{Principal: run.Principal{ID: who}, Now: now()})
}

// shop is the logs of a tenant: payments of two services, a line a minute.
func shop(secret string) logql.Entries {
	var out logql.Entries
	for i := range 30 {
		at := now().Add(-time.Duration(i) * time.Minute)
		out = append(out,
			logql.Entry{Time: at, Labels: map[string]string{"service": "checkout", "level": "error"}, Line: fmt.Sprintf("payment %d declined for user=u%d", 100+i, i%3)},
			logql.Entry{Time: at, Labels: map[string]string{"service": "login", "level": "info"}, Line: fmt.Sprintf("session %d opened password=%s ok", i, secret)})
	}
	return out
}

func open(t *testing.T, c logify.Config) *logify.Service {
	t.Helper()
	return measured(t, c, nil)
}

func measured(t *testing.T, c logify.Config, m *meter.Set) *logify.Service {
	t.Helper()
	s, err := logify.New(c, logify.Deps{Clock: now, Meter: m})
	require.NoError(t, err)
	return s
}

// TestLokiIsMeasuredAndGoesOnWithTheTrace: each request counts, and has the caller's trace.
func TestLokiIsMeasuredAndGoesOnWithTheTrace(t *testing.T) {
	t.Parallel()
	loki, url := startLoki(t, map[string]logql.Entries{"shop": shop("x1y2z3")})
	m, read := metertest.New(t)
	s := measured(t, logify.Config{LokiURL: url, Tenant: "shop"}, m)
	ctx := trace.ContextWithSpanContext(as(t, "alice"), trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}}))
	_, err := s.GenerateLogQL(ctx, &logifyv1.GenerateLogQLRequest{UserQuestion: "how many payments were declined in the last hour", Execute: true})
	require.NoError(t, err)
	loki.mu.Lock()
	defer loki.mu.Unlock()
	require.NotEmpty(t, loki.calls)
	require.Contains(t, loki.calls[len(loki.calls)-1].Header.Get("Traceparent"), "-01000000000000000000000000000000-")
	require.Equal(t, map[string]float64{
		`dibrain_dependency_seconds{dependency="loki",operation="query",result="ok"}`: float64(len(loki.calls)),
		`dibrain_dependency_in_flight{dependency="loki"}`:                             0,
	}, read())
}

func ask(t *testing.T, s *logify.Service, who, question string) (*logifyv1.GenerateLogQLResponse, error) {
	t.Helper()
	return s.GenerateLogQL(as(t, who), &logifyv1.GenerateLogQLRequest{UserQuestion: question, Execute: true})
}

func TestAQuestionIsAnsweredWithANumber(t *testing.T) {
	t.Parallel()
	loki, url := startLoki(t, map[string]logql.Entries{"shop": shop("x1y2z3")})
	s := open(t, logify.Config{LokiURL: url, Tenant: "shop"})
	for range 2 {
		res, err := ask(t, s, "ann", "count errors per service for the last hour")
		require.NoError(t, err)
		require.Equal(t, `sum by (service) (count_over_time({level="error"}[1h]))`, res.GetLogql())
		require.True(t, res.GetValidated())
		require.Len(t, res.GetSamples(), 1)
		require.InDelta(t, 30, res.GetSamples()[0].GetValue(), 0)
		require.Equal(t, map[string]string{"service": "checkout"}, res.GetSamples()[0].GetLabels())
		require.Equal(t, []string{"service", "value"}, []string{res.GetPage().GetColumns()[0].GetName(), res.GetPage().GetColumns()[1].GetName()})
		require.Equal(t, "checkout", res.GetPage().GetRows()[0].GetValues()[0].GetStringValue())
		require.InDelta(t, 30, res.GetPage().GetRows()[0].GetValues()[1].GetNumberValue(), 0)
		require.Equal(t, "The result is 30 (service checkout).", res.GetAnswer())
		require.Equal(t, "The number of lines of streams where level is error, over 1h, for each service.", res.GetExplanation())
	}
	require.Equal(t, 1, loki.count("/loki/api/v1/labels"), "labels are kept for a while")

	res, err := ask(t, s, "ann", "显示 checkout 最近10分钟 declined")
	require.NoError(t, err)
	require.Len(t, res.GetLines(), 10)
	require.Equal(t, "共 10 行。", res.GetAnswer())
}

func TestNothingRunsUnasked(t *testing.T) {
	t.Parallel()
	loki, url := startLoki(t, map[string]logql.Entries{"shop": shop("x1y2z3")})
	s := open(t, logify.Config{LokiURL: url, Tenant: "shop"})
	res, err := s.GenerateLogQL(as(t, "ann"), &logifyv1.GenerateLogQLRequest{UserQuestion: "count errors per service"})
	require.NoError(t, err)
	require.NotEmpty(t, res.GetLogql())
	require.Empty(t, res.GetSamples())
	require.Zero(t, loki.count("/loki/api/v1/query"))
}

func TestStreamsThatSomebodyMayNotSeeStayUnseen(t *testing.T) {
	t.Parallel()
	_, url := startLoki(t, map[string]logql.Entries{"shop": shop("x1y2z3"), "other": {{Time: now(), Labels: map[string]string{"service": "alien"}, Line: "other 1"}}})
	policy := filepath.Join(t.TempDir(), "streams.yaml")
	require.NoError(t, os.WriteFile(policy, []byte(`rules:
  - {principals: [ann], streams: '{service="checkout"}'}
  - {principals: ["sre-*"]}
  - {principals: [eve], tenant: other}
`), 0o600))
	s := open(t, logify.Config{LokiURL: url, Tenant: "shop", PolicyFile: policy})
	everything := &logifyv1.RunLogQLUnaryRequest{Query: &logifyv1.RunLogQLRequest{Logql: `{service=~".+"}`}}

	res, err := s.RunLogQLUnary(as(t, "ann"), everything)
	require.NoError(t, err)
	require.Len(t, res.GetLines(), 30)
	require.Equal(t, `{service=~".+", service="checkout"}`, res.GetSummary().GetLogql(), "what ran is said")
	for _, l := range res.GetLines() {
		require.Equal(t, "checkout", l.GetLabels()["service"])
	}
	// Both sides of an operation, and queries that name the other streams outright.
	for _, query := range []string{`sum(count_over_time({service="login"}[1h]))`, `sum(count_over_time({service="checkout"}[1m])) * 0 + sum(count_over_time({service="login"}[1h]))`} {
		res, err = s.RunLogQLUnary(as(t, "ann"), &logifyv1.RunLogQLUnaryRequest{Query: &logifyv1.RunLogQLRequest{Logql: query}})
		require.NoError(t, err)
		require.Empty(t, res.GetSamples(), query)
	}
	labels, err := s.ListLabels(as(t, "ann"), &logifyv1.ListLabelsRequest{})
	require.NoError(t, err)
	require.NotContains(t, labels.String(), "login")

	labels, err = s.ListLabels(as(t, "sre-1"), &logifyv1.ListLabelsRequest{})
	require.NoError(t, err)
	require.Contains(t, labels.String(), "login")
	labels, err = s.ListLabels(as(t, "eve"), &logifyv1.ListLabelsRequest{})
	require.NoError(t, err)
	require.Contains(t, labels.String(), "alien")
	require.NotContains(t, labels.String(), "checkout", "another tenant")

	_, err = s.RunLogQLUnary(as(t, "bob"), everything)
	require.Equal(t, "LOGS_NOT_PERMITTED", fault.ReasonOf(err))
	_, err = s.RunLogQLUnary(t.Context(), everything)
	require.Equal(t, "UNAUTHENTICATED", fault.ReasonOf(err))
}

func TestSecretsOfLinesAreMasked(t *testing.T) {
	t.Parallel()
	const secret = "hunter2secret"
	_, url := startLoki(t, map[string]logql.Entries{"shop": shop(secret)})
	masks := filepath.Join(t.TempDir(), "masks.yaml")
	require.NoError(t, os.WriteFile(masks, []byte(`masks: [{name: user, pattern: 'user=\w+', replace: 'user=[masked]'}]`), 0o600))
	s := open(t, logify.Config{LokiURL: url, Tenant: "shop", MasksFile: masks})
	for _, query := range []string{`{service=~".+"}`, `{service="login"} | regexp "password=(?P<password>\\S+)"`, "{service=\"login\"} | regexp `(?P<x>password=\\S+)` | line_format `{{.x}}`",
		`sum by (password) (count_over_time({service="login"} | logfmt [1h]))`} {
		res, err := s.RunLogQLUnary(as(t, "ann"), &logifyv1.RunLogQLUnaryRequest{Query: &logifyv1.RunLogQLRequest{Logql: query}})
		require.NoError(t, err, query)
		require.NotZero(t, res.GetSummary().GetReturned(), query)
		require.NotContains(t, res.String(), secret, query)
		require.NotContains(t, res.String(), "user=u", query)
	}
	res, err := ask(t, s, "ann", "how many sessions were opened in login in the last hour")
	require.NoError(t, err)
	require.NotContains(t, res.String(), secret)
	require.NotContains(t, res.GetLogql(), "masked", "what is masked is no text of lines")
	require.InDelta(t, 30, res.GetSamples()[0].GetValue(), 0)
}

func TestQueriesAreBounded(t *testing.T) {
	t.Parallel()
	_, url := startLoki(t, map[string]logql.Entries{"shop": shop("x1y2z3")})
	s := open(t, logify.Config{LokiURL: url, Tenant: "shop", MaxRange: 24 * time.Hour, MaxLines: 7, MaxSeries: 2})
	for query, reason := range map[string]string{
		`{service=~".*"}`: "LOGQL_INVALID", `{service="checkout"`: "LOGQL_INVALID", `sum(rate({service="checkout"}[25h]))`: "LOGS_RANGE_TOO_LONG",
		`sum(rate({service="checkout"}[1h] offset 24h))`: "LOGS_RANGE_TOO_LONG", `{service="checkout"} |~ "(a{50}){19}b{900}c{300}"`: "LOGQL_INVALID",
		`{service="checkout"} | distinct a`: "LOGQL_NOT_SUPPORTED", `sum by (user) (count_over_time({service="checkout"} | logfmt [1h]))`: "LOGS_TOO_MANY_SERIES",
	} {
		_, err := s.RunLogQLUnary(as(t, "ann"), &logifyv1.RunLogQLUnaryRequest{Query: &logifyv1.RunLogQLRequest{Logql: query}})
		require.Equal(t, reason, fault.ReasonOf(err), query)
	}
	_, err := s.RunLogQLUnary(as(t, "ann"), &logifyv1.RunLogQLUnaryRequest{Query: &logifyv1.RunLogQLRequest{
		Logql: `{service="checkout"}`, Start: timestamppb.New(now().AddDate(0, 0, -2)), End: timestamppb.New(now())}})
	require.Equal(t, "LOGS_RANGE_TOO_LONG", fault.ReasonOf(err))
	res, err := s.RunLogQLUnary(as(t, "ann"), &logifyv1.RunLogQLUnaryRequest{Query: &logifyv1.RunLogQLRequest{Logql: `{service="checkout"}`, Limit: 5000}})
	require.NoError(t, err)
	require.Len(t, res.GetLines(), 7)
	require.True(t, res.GetSummary().GetTruncated())
}

func TestLokiMisbehaves(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		reason  string
	}{
		"down":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, "LOKI_UNAVAILABLE"},
		"no JSON": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, "LOKI_UNAVAILABLE"},
		"other JSON": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"status":"success","data":{"a":1}}`))
		}, "LOKI_UNAVAILABLE"},
		"not let in":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, "LOKI_FORBIDDEN"},
		"too many":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, "LOKI_LIMIT"},
		"without end": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(strings.Repeat("x", 1<<20))) }, "LOGS_TOO_LARGE"},
		"sends us away": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		}, "LOKI_UNAVAILABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.handler)
			t.Cleanup(server.Close)
			s := open(t, logify.Config{LokiURL: server.URL, MaxBytes: 1 << 16})
			_, err := ask(t, s, "ann", "count errors")
			require.Equal(t, c.reason, fault.ReasonOf(err), "%v", err)
		})
	}
	_, err := ask(t, open(t, logify.Config{}), "ann", "count errors")
	require.Equal(t, "LOGS_NOT_CONFIGURED", fault.ReasonOf(err))
}

func TestFilesAreSearchedWithoutLoki(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var text strings.Builder
	for i := range 20 {
		at := now().Add(-time.Duration(20-i) * time.Minute).Format(time.RFC3339)
		fmt.Fprintf(&text, "%s ERROR payment %d declined\n%s INFO cart %d shown\n  a line of a stack\n", at, i, at, i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "checkout.log"), []byte(text.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "own.log"), []byte(`{"timestamp":"2026-03-01T11:59:00Z","labels":{"service":"own","level":"error"},"line":"broke 7"}`+"\n"), 0o600))
	s := open(t, logify.Config{Files: []string{filepath.Join(folder, "*.log")}})
	res, err := ask(t, s, "ann", "count errors per service for the last hour")
	require.NoError(t, err)
	require.Equal(t, "2 results; the highest is 20 (service checkout).", res.GetAnswer())

	s = open(t, logify.Config{Files: []string{filepath.Join(folder, "*.log")}, MaxLinesRead: 10})
	_, err = ask(t, s, "ann", "count errors")
	require.Equal(t, "LOGS_TOO_MANY_LINES", fault.ReasonOf(err))
	s = open(t, logify.Config{Files: []string{filepath.Join(folder, "*.log")}, MaxBytes: 100})
	_, err = ask(t, s, "ann", "count errors")
	require.Equal(t, "LOGS_TOO_LARGE", fault.ReasonOf(err))
	_, err = ask(t, open(t, logify.Config{Files: []string{filepath.Join(folder, "gone")}}), "ann", "count errors")
	require.Equal(t, "LOG_FILE_MISSING", fault.ReasonOf(err))
}

func TestLabelsByTheMillionAreBounded(t *testing.T) {
	t.Parallel()
	entries := make(logql.Entries, 0, 3000)
	for i := range 3000 {
		entries = append(entries, logql.Entry{Time: now(), Labels: map[string]string{"pod": fmt.Sprintf("pod-%d", i), fmt.Sprintf("l%d", i%200): "x"}, Line: "hello"})
	}
	_, url := startLoki(t, map[string]logql.Entries{"shop": entries})
	s := open(t, logify.Config{LokiURL: url, Tenant: "shop", MaxLabels: 201, MaxValues: 50, SampleLines: 20})
	labels, err := s.ListLabels(as(t, "ann"), &logifyv1.ListLabelsRequest{})
	require.NoError(t, err)
	require.LessOrEqual(t, len(labels.GetLabels()), 201)
	for _, l := range labels.GetLabels() {
		require.LessOrEqual(t, len(l.GetValues()), 50)
	}
}

func TestValidateAndExplain(t *testing.T) {
	t.Parallel()
	s := open(t, logify.Config{})
	res, err := s.ValidateLogQL(as(t, "ann"), &logifyv1.ValidateLogQLRequest{Logql: "sum(rate({app=`web`}[5m])) by (pod)"})
	require.NoError(t, err)
	require.Empty(t, res.GetProblems())
	require.Equal(t, `sum by (pod) (rate({app="web"}[5m]))`, res.GetLogql())
	res, err = s.ValidateLogQL(as(t, "ann"), &logifyv1.ValidateLogQLRequest{Logql: "sum(rate({app='web'}[5m]))"})
	require.NoError(t, err)
	require.Len(t, res.GetProblems(), 1)
	require.EqualValues(t, 15, res.GetProblems()[0].GetColumn())
	words, err := s.ExplainLogQL(as(t, "ann"), &logifyv1.ExplainLogQLRequest{Logql: `topk(3, sum by (user) (count_over_time({app="web"} |= "login" != "bot" | json | status >= 500 [1d])))`})
	require.NoError(t, err)
	require.Equal(t, `The 3 highest of the number of lines of streams where app is web, with "login" in them, without "bot", read by json, where status >= 500, over 24h, for each user.`, words.GetExplanation())
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	for text, want := range map[string]string{
		"rules: [{principals: [], streams: '{a=\"b\"}'}]": "names no principals", "rules: [{principals: [a], streams: '{a=~\".*\"}'}]": "at least one matcher",
		"rules: [{principals: [a], streams: '{a=\"b\"} |= \"x\"'}]": "a selector alone", "rule: []": "no YAML of rules",
	} {
		require.NoError(t, os.WriteFile(broken, []byte(text), 0o600))
		_, err := logify.New(logify.Config{PolicyFile: broken}, logify.Deps{})
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, os.WriteFile(broken, []byte("masks: [{name: all, pattern: 'x*', replace: ''}]"), 0o600))
	_, err := logify.New(logify.Config{MasksFile: broken}, logify.Deps{})
	require.ErrorContains(t, err, "fits everywhere")
	for want, c := range map[string]logify.Config{
		"exclude each other": {LokiURL: "http://a:1", Files: []string{"x"}}, "http(s)://": {LokiURL: "ftp://a"}, "max_lines is -1": {MaxLines: -1},
		"a user": {LokiURL: "http://me:pw@a:1"},
	} {
		_, err := logify.New(c, logify.Deps{})
		require.ErrorContains(t, err, want)
	}
}
