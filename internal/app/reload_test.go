package app_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/pkg/telemetry"
)

var updateDocs = flag.Bool("update-docs", false, "write the table of docs/operations.md anew")

// TestReload changes each group of settings while a process serves, and sees it behave so.
func TestReload(t *testing.T) {
	t.Parallel()
	endpoint := llmtest.New(t, func(llmtest.Request) llmtest.Answer { return llmtest.Answer{Text: `{"versions":[]}`} })
	c := testConfig(t)
	withBakery(t, c.DataDir)
	c.Source, c.FindData.Config.DefaultSource, c.FindData.Config.Strategy = "bakery", "bakery", "llm"
	c.LLM.Config.BaseURL, c.LLM.Config.Model = endpoint.URL, "small"
	c.Limits.RequestsPerSecond, c.Log.Format = 0, "json"
	agents := filepath.Join(t.TempDir(), "agents.yaml")
	require.NoError(t, os.WriteFile(agents, []byte("agents: []\n"), 0o600))
	c.Router.Config.AgentsFile = agents
	var out bytes.Buffer
	live := new(telemetry.LiveLog)
	log, err := telemetry.NewLogger(&out, telemetry.LogConfig{Level: "error", Format: "json", Live: live})
	require.NoError(t, err)
	r := startWith(t, c, app.Options{LiveLog: live}, app.All)
	find, chat := findatav1.NewFindDataServiceClient(r.dial()), routerv1.NewRouterServiceClient(r.dial())
	reload := func(change func(*config.Config)) app.Reloaded {
		change(&c)
		got, err := r.app.Reload(t.Context(), func() (*config.Config, error) { next := c; return &next, nil })
		require.NoError(t, err)
		return got
	}
	require.Empty(t, reload(func(*config.Config) {}))

	// The log.
	require.Equal(t, app.Reloaded{Taken: []string{"log.level", "log.format"}}, reload(func(c *config.Config) { c.Log.Level, c.Log.Format = "debug", "text" }))
	log.Debug("fine")
	require.Contains(t, out.String(), `level=DEBUG msg=fine`)

	// The model.
	steps := func(question string) string {
		got, err := find.DiscoverUnary(t.Context(), &findatav1.DiscoverUnaryRequest{Query: &findatav1.DiscoverQuery{UserQuery: question}})
		require.NoError(t, err)
		return fmt.Sprint(got.GetTrace())
	}
	require.Contains(t, steps("bread sales"), "chat small")
	require.Equal(t, app.Reloaded{Taken: []string{"llm.model"}}, reload(func(c *config.Config) { c.LLM.Config.Model = "large" }))
	require.Contains(t, steps("loaves by day"), "chat large")

	// The router.
	hello := func(session string) (string, error) {
		got, err := chat.Ask(t.Context(), &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "hello", SessionId: session}})
		return got.GetAnswer().GetSessionId(), err
	}
	session, err := hello("")
	require.NoError(t, err)
	require.Equal(t, app.Reloaded{Taken: []string{"router.retention.max_turns"}}, reload(func(c *config.Config) { c.Router.Config.Retention.MaxTurns = 1 }))
	_, err = hello(session)
	require.Error(t, err, "the session has as many turns as it may")

	// Limits of chat BI and find data.
	require.Equal(t, app.Reloaded{Taken: []string{"chatbi.limits.page_size"}, Waiting: []string{"chatbi.limits.results_memory"}},
		reload(func(c *config.Config) {
			c.ChatBI.Config.Limits.PageSize, c.ChatBI.Config.Limits.ResultsMemory = 2, 100<<20
		}))
	reload(func(c *config.Config) { c.ChatBI.Config.Limits.ResultsMemory = 512 << 20 })
	traced := func() int {
		got, err := find.DiscoverUnary(t.Context(), &findatav1.DiscoverUnaryRequest{Query: &findatav1.DiscoverQuery{UserQuery: "bread sales", Strategy: findatav1.Strategy_STRATEGY_RULES}})
		require.NoError(t, err)
		return len(got.GetTrace().GetRecords())
	}
	require.Positive(t, traced())
	require.Equal(t, app.Reloaded{Taken: []string{"findata.max_trace_bytes"}}, reload(func(c *config.Config) { c.FindData.Config.MaxTraceBytes = 1 }))
	require.Zero(t, traced())
	reload(func(c *config.Config) { c.FindData.Config.MaxTraceBytes = 64 << 10 })

	// What waits is told each time, and so is what a file holds that is read at the start alone.
	got := reload(func(c *config.Config) {
		c.Router.Config.MaxTurns, c.LLM.Config.MaxCalls, c.ReloadEvery = 7, 9, 0
		require.NoError(t, os.WriteFile(agents, []byte("# nobody\nagents: []\n"), 0o600))
	})
	waiting := []string{"llm.max_calls", "router.agents_file (what is in the file)", "router.max_turns"}
	require.Equal(t, app.Reloaded{Taken: []string{"reload_every"}, Waiting: waiting}, got)
	require.Zero(t, r.app.ReloadEvery())

	// A model of another endpoint waits together with it.
	elsewhere := c
	elsewhere.LLM.Config.BaseURL, elsewhere.LLM.Config.Model = "http://127.0.0.1:1/v1", "other"
	got, err = r.app.Reload(t.Context(), func() (*config.Config, error) { return &elsewhere, nil })
	require.NoError(t, err)
	require.Equal(t, app.Reloaded{Waiting: append([]string{"llm.base_url", "llm.max_calls", "llm.model"}, waiting[1:]...)}, got)
	require.Contains(t, steps("bread by week"), "chat large")

	// One that is not valid changes nothing, and readiness tells of it until one is.
	for name, load := range map[string]func() (*config.Config, error){
		"cannot be read": func() (*config.Config, error) { return nil, errors.New("line 3 is no YAML") },
		"is not valid": func() (*config.Config, error) {
			next := c
			next.Log.Level, next.Limits.RequestsPerSecond, next.Limits.RequestBurst = "error", 1e-6, 0
			return &next, nil
		},
		"is not valid in the mixture": func() (*config.Config, error) {
			next := c
			next.FindData.Config.Strategy, next.LLM.Config.Model, next.Log.Level = "rules", "", "error"
			return &next, nil
		},
	} {
		_, err := r.app.Reload(t.Context(), load)
		require.Error(t, err, name)
		eventually(t, func() bool {
			return strings.Contains(r.body("/readyz"), "configuration is degraded: the configuration was read again")
		})
		require.Equal(t, 200, r.get("/readyz"), "it serves")
		require.Equal(t, app.Reloaded{Waiting: waiting}, reload(func(*config.Config) {}), name)
		eventually(t, func() bool { return !strings.Contains(r.body("/readyz"), "configuration is") })
	}

	// The rate of calls: the last, since there are no more calls after it.
	require.Equal(t, app.Reloaded{Taken: []string{"limits.requests_per_second", "limits.request_burst"}, Waiting: waiting},
		reload(func(c *config.Config) { c.Limits.RequestsPerSecond, c.Limits.RequestBurst = 1e-6, 1 }))
	_, err = chat.ListSessions(t.Context(), &routerv1.ListSessionsRequest{})
	require.NoError(t, err)
	_, err = chat.ListSessions(t.Context(), &routerv1.ListSessionsRequest{})
	require.Equal(t, "RATE_LIMITED", fault.ReasonOf(err))
}

func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, hangs, 10*time.Millisecond)
}

// TestReloadWithoutTheParts: settings of what a process does not have change nothing and wait
// for nothing; a model that was not there at the start waits.
func TestReloadWithoutTheParts(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	r := start(t, c, app.Logify)
	next := c
	next.Router.Config.MaxToolCalls, next.LLM.Config.Temperature = 3, 1
	load := func() (*config.Config, error) { return &next, nil }
	got, err := r.app.Reload(t.Context(), load)
	require.NoError(t, err)
	require.Empty(t, got)
	next.LLM.Config.BaseURL, next.LLM.Config.Model = "http://127.0.0.1:1/v1", "small"
	got, err = r.app.Reload(t.Context(), load)
	require.NoError(t, err)
	require.Equal(t, []string{"llm.base_url", "llm.model"}, got.Waiting)
}

// TestEveryFileIsReadAgainOrNot: a key of a file that is added has to say which it is, and the
// lists name nothing that is not there.
func TestEveryFileIsReadAgainOrNot(t *testing.T) {
	t.Parallel()
	keys := map[string]bool{}
	for _, f := range config.Default().Fields() {
		keys[f.Key] = true
		if strings.HasSuffix(f.Key, "_file") && f.Key != "auth.audit_file" { // which is written
			require.NotEqual(t, slices.Contains(app.RereadFiles(), f.Key), slices.Contains(app.StartFiles(), f.Key), f.Key)
		}
	}
	for _, key := range append(app.RereadFiles(), app.StartFiles()...) {
		require.True(t, keys[key], key)
	}
	for _, s := range app.LiveSettings() {
		for _, key := range append(s.Keys, s.But...) {
			require.True(t, keys[key] || strings.HasSuffix(key, "."), key)
		}
	}
}

// TestDocumentedReload holds the table of docs/operations.md against what a process does.
func TestDocumentedReload(t *testing.T) {
	t.Parallel()
	const path, begin, end = "../../docs/operations.md", "<!-- reload: made by go test ./internal/app -run TestDocumentedReload -update-docs -->\n", "<!-- reload end -->\n"
	code := func(keys []string) string {
		out := make([]string, len(keys))
		for i, k := range keys {
			if strings.HasSuffix(k, ".") {
				k += "*"
			}
			out[i] = "`" + k + "`"
		}
		return strings.Join(out, ", ")
	}
	var b strings.Builder
	b.WriteString("| what changes | without a restart |\n|---|---|\n")
	for _, s := range app.LiveSettings() {
		but := ""
		if len(s.But) > 0 {
			but = ", but not " + code(s.But)
		}
		fmt.Fprintf(&b, "| %s%s | yes, %s |\n", code(s.Keys), but, s.Doc)
	}
	fmt.Fprintf(&b, "| what is in the files of %s | yes, by themselves within seconds or at the next use |\n", code(app.RereadFiles()))
	fmt.Fprintf(&b, "| what is in the files of %s | no; the log names the key |\n", code(app.StartFiles()))
	b.WriteString("| every other key | no; the log names the key |\n")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	require.True(t, found)
	old, after, found := strings.Cut(rest, end)
	require.True(t, found)
	if *updateDocs {
		require.NoError(t, os.WriteFile(path, []byte(before+begin+b.String()+end+after), 0o600))
		old = b.String()
	}
	require.Equal(t, b.String(), old, "run: go test ./internal/app -run TestDocumentedReload -update-docs")
}
