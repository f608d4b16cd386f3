// Package faults holds the suite of faults: each server that the product depends on is
// down, slow, half-open, says rubbish, and dies in the middle of an answer, while people
// ask. It tells what they see and that everything is as before once the server is back,
// with no restart. docs/faults.md has the table.
package faults

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/pkg/retrieval/retrievaltest"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
)

// hangs is the time after which what has not come never will, on machines where
// everything is slow.
const hangs = time.Minute

// seen is what a person is told.
type seen struct {
	outcome string // of the answer, or the code of the error
	code    string // the reason of the error, or the code of the warning
	text    string // everything that can be read
	retry   time.Duration
	took    time.Duration
	err     error
}

func (s seen) String() string {
	return fmt.Sprintf("%s %s (%s, retry after %s): %s", s.outcome, s.code, s.took.Round(time.Millisecond), s.retry, s.text)
}

// system is a process whose server can have faults, as one person uses it.
type system struct {
	t        *testing.T
	proxy    *proxy
	admin    string
	conn     *grpc.ClientConn
	question func(ctx context.Context) (outcome, code, text string, err error)
	// whole says what has to hold when the fault is over.
	whole func(t *testing.T)
}

// ask asks once.
func (s *system) ask() seen {
	ctx, cancel := context.WithTimeout(s.t.Context(), hangs)
	defer cancel()
	begun := time.Now()
	var got seen
	got.outcome, got.code, got.text, got.err = s.question(ctx)
	got.took = time.Since(begun)
	if got.err != nil {
		f := fault.FromStatus(got.err)
		got.outcome, got.code, got.text, got.retry = f.Code.String(), f.Reason, f.Message, f.RetryAfter
	}
	return got
}

// ready is what probes are told.
func (s *system) ready() (int, string) {
	response, err := http.Get("http://" + s.admin + "/readyz")
	if err != nil {
		return 0, ""
	}
	defer func() { _ = response.Body.Close() }()
	body, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(body)
}

// start runs a process until the test ends.
func start(t *testing.T, p *proxy, getenv func(string) string, change func(*config.Config)) *system {
	t.Helper()
	c := config.Default()
	c.DataDir = t.TempDir()
	c.Source, c.FindData.Config.DefaultSource = "bakery", "bakery"
	c.Listen, c.Admin.Listen = "127.0.0.1:0", "127.0.0.1:0"
	c.Limits.DrainTimeout = time.Second
	c.Limits.RequestBurst = 100_000
	change(&c)
	a, err := app.New(t.Context(), c, []string{app.All}, app.Options{Getenv: getenv})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
	})
	s := &system{t: t, proxy: p, whole: func(*testing.T) {}}
	for _, address := range a.Addresses() {
		switch address.What {
		case "admin":
			s.admin = address.Addr.String()
		case "gRPC":
			s.conn, err = grpc.NewClient(address.Addr.String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
			require.NoError(t, err)
			t.Cleanup(func() { _ = s.conn.Close() })
		}
	}
	require.Eventually(t, func() bool { code, _ := s.ready(); return code == http.StatusOK }, hangs, 10*time.Millisecond)
	return s
}

// bakery puts a source with one table into a data directory; on a Trino where a
// connection is given.
func bakery(t *testing.T, dir string, trino *source.TrinoConnection) {
	t.Helper()
	store, err := source.Open(dir)
	require.NoError(t, err)
	_, err = store.Make(t.Context(), "bakery", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		m := source.Manifest{Engine: source.EngineDuckDB, DefaultRegion: "bakery", DefaultSchema: "main", Version: "1", Origin: "csv"}
		if trino != nil {
			m.Engine, m.Trino, m.Origin = source.EngineTrino, trino, "trino"
		}
		return m, &catalog.Snapshot{Tables: []catalog.Table{{
			Name: catalog.Name{Region: "bakery", Schema: "main", Table: "bread_sales"}, Description: "bread sold by day", RowCount: 5,
			Columns: []catalog.Column{{Name: "day", Type: "date"}, {Name: "loaves", Type: "bigint", Comment: "loaves sold"}},
		}}}, nil
	})
	require.NoError(t, err)
}

// turn asks the router.
func (s *system) turn(turn *routerv1.Turn) func(context.Context) (string, string, string, error) {
	return func(ctx context.Context) (string, string, string, error) {
		got, err := routerv1.NewRouterServiceClient(s.conn).Ask(ctx, &routerv1.AskRequest{Turn: turn})
		a := got.GetAnswer()
		code, text := "", a.GetText()
		for _, w := range a.GetWarnings() {
			code, text = w.GetCode(), text+"\n"+w.GetMessage()
		}
		return strings.ToLower(strings.TrimPrefix(a.GetOutcome().String(), "OUTCOME_")), code, text, err
	}
}

// find asks for tables, in other words each time: what was asked before is answered
// without the servers.
func (s *system) find(words string) func(context.Context) (string, string, string, error) {
	n := 0
	return func(ctx context.Context) (string, string, string, error) {
		n++
		question := fmt.Sprintf("%s of week %d", words, n)
		got, err := findatav1.NewFindDataServiceClient(s.conn).DiscoverUnary(ctx, &findatav1.DiscoverUnaryRequest{Query: &findatav1.DiscoverQuery{UserQuery: question}})
		if err != nil {
			return "", "", "", err
		}
		code, text := "", got.GetResult().GetAnswer()
		for _, w := range got.GetResult().GetWarnings() {
			code, text = w.GetCode(), text+"\n"+w.GetMessage()
		}
		outcome := "nothing found"
		if len(got.GetResult().GetRelatedTables()) > 0 {
			outcome = "answered"
		}
		return outcome, code, text, nil
	}
}

// dependencies are the servers, each with a process that needs it.
var dependencies = []struct {
	name  string
	start func(t *testing.T) *system
}{
	{"trino", onTrino},
	{"postgresql", onPostgreSQL},
	{"milvus", onMilvus},
	{"elasticsearch", onElasticsearch},
	{"model", onModel},
	{"embeddings", onEmbeddings},
	{"collector", onCollector},
	{"loki", onLoki},
}

func onTrino(t *testing.T) *system {
	var p *proxy
	server := newTrino(t, func() string { return p.address })
	p = before(t, hostOf(server.Server))
	s := start(t, p, nil, func(c *config.Config) {
		bakery(t, c.DataDir, &source.TrinoConnection{URL: "http://" + p.address, User: "svc", Regions: map[string]source.TrinoPlace{"bakery": {Catalog: "bakery"}}})
		c.ChatBI.Config.Trino.RetryTimeout, c.ChatBI.Config.Trino.AnswerTimeout = time.Second, time.Second
		c.ChatBI.Config.Trino.Failures, c.ChatBI.Config.Trino.ProbeAfter = 2, 300*time.Millisecond
		c.ChatBI.Config.Limits.Timeout = 10 * time.Second
		c.ChatBI.Config.Trino.EndTimeout = time.Second
	})
	s.question = s.turn(&routerv1.Turn{Source: "bakery", Question: "run SELECT loaves FROM bakery.main.bread_sales"})
	return s
}

func onPostgreSQL(t *testing.T) *system {
	dsn := postgrestest.DSN(t)
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	p := before(t, u.Host)
	u.Host = p.address
	s := start(t, p, nil, func(c *config.Config) {
		bakery(t, c.DataDir, nil)
		c.Store.Kind, c.Store.DSN = config.StorePostgres, config.Secret(u.String())
		c.Store.ConnectTimeout, c.Store.Timeout = time.Second, time.Second
	})
	s.question = s.turn(&routerv1.Turn{Source: "bakery", Question: "which tables hold bread sales?"})
	return s
}

func onMilvus(t *testing.T) *system {
	address := os.Getenv("DIBRAIN_TEST_MILVUS")
	if address == "" {
		t.Skip("needs a Milvus server: set DIBRAIN_TEST_MILVUS to its host:port; test/servers/milvus-start starts one")
	}
	p := before(t, address)
	prefix := run.NewID("faults_", nil)
	embeddings := newEmbeddings(t)
	s := start(t, p, nil, func(c *config.Config) {
		bakery(t, c.DataDir, nil)
		search := &c.FindData.Config.Search
		search.Vector, search.Embedder = "milvus", "endpoint"
		search.Endpoint.BaseURL, search.Endpoint.Model, search.Endpoint.Dim = embeddings.URL+"/v1", "letters", dimension
		search.Milvus.Address, search.Milvus.Prefix = p.address, prefix
		search.Budget, search.ProbeAfter = 250*time.Millisecond, 300*time.Millisecond
	})
	s.question = s.find("bread sales")
	return s
}

func onElasticsearch(t *testing.T) *system {
	server := retrievaltest.NewElasticsearch(t)
	p := before(t, strings.TrimPrefix(server.URL, "http://"))
	s := start(t, p, nil, func(c *config.Config) {
		bakery(t, c.DataDir, nil)
		search := &c.FindData.Config.Search
		search.Lexical, search.Elasticsearch.Addresses = "elasticsearch", []string{"http://" + p.address}
		search.Budget, search.ProbeAfter = 250*time.Millisecond, 300*time.Millisecond
		search.Elasticsearch.RetryWait = 20 * time.Millisecond
	})
	s.question = s.find("bread sales")
	return s
}

func onEmbeddings(t *testing.T) *system {
	p := before(t, hostOf(newEmbeddings(t)))
	s := start(t, p, nil, func(c *config.Config) {
		bakery(t, c.DataDir, nil)
		search := &c.FindData.Config.Search
		search.Embedder = "endpoint"
		search.Endpoint.BaseURL, search.Endpoint.Model, search.Endpoint.Dim = "http://"+p.address+"/v1", "letters", dimension
		search.Endpoint.RetryWait, search.Endpoint.Timeout = 20*time.Millisecond, time.Second
		search.Budget, search.ProbeAfter = 250*time.Millisecond, 300*time.Millisecond
	})
	s.question = s.find("bread sales")
	return s
}

func onModel(t *testing.T) *system {
	server := llmtest.New(t, func(r llmtest.Request) llmtest.Answer {
		if strings.Contains(r.Raw, "You help a search") {
			return llmtest.Answer{Text: `{"versions":["loaves sold"]}`}
		}
		return llmtest.Answer{Text: "Take `bakery.main.bread_sales`."}
	})
	p := before(t, strings.TrimSuffix(strings.TrimPrefix(server.URL, "http://"), "/v1"))
	s := start(t, p, nil, func(c *config.Config) {
		bakery(t, c.DataDir, nil)
		c.FindData.Config.Strategy = "llm"
		m := &c.LLM.Config
		m.BaseURL, m.Model = "http://"+p.address+"/v1", "small"
		m.Timeout, m.RetryWait, m.Attempts = 250*time.Millisecond, 10*time.Millisecond, 2
		m.BreakerFailures, m.BreakerPause = 2, 300*time.Millisecond
	})
	s.question = s.find("bread sales")
	return s
}

func onCollector(t *testing.T) *system {
	server := newCollector(t)
	p := before(t, hostOf(server.Server))
	s := start(t, p, func(key string) string {
		if key == "OTEL_EXPORTER_OTLP_ENDPOINT" {
			return "http://" + p.address
		}
		return ""
	}, func(c *config.Config) { bakery(t, c.DataDir, nil) })
	s.question = s.find("bread sales")
	return s
}

func onLoki(t *testing.T) *system {
	p := before(t, hostOf(newLoki(t)))
	s := start(t, p, nil, func(c *config.Config) {
		bakery(t, c.DataDir, nil)
		c.Logify.Config.LokiURL, c.Logify.Config.Timeout = "http://"+p.address, time.Second
		c.Logify.Config.Failures, c.Logify.Config.ProbeAfter = 2, 300*time.Millisecond
		c.Logify.Config.KnownFor = time.Millisecond
	})
	s.question = s.turn(&routerv1.Turn{Source: "bakery", Question: `{app="checkout"} |= "error"`, AgentName: "Logify Agent"})
	return s
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, d := range dependencies {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			s := d.start(t)
			for _, f := range allFaults {
				got := s.ask()
				begun := time.Now()
				for got.outcome != "answered" || got.code != "" {
					if time.Since(begun) > 5*time.Second {
						t.Fatal(got)
					}
					<-time.After(20 * time.Millisecond)
					got = s.ask()
				}
				lg(d.name, got, time.Since(begun))
				s.proxy.make(f)
				for range 4 {
					lg(d.name, f, s.ask())
					_, body := s.ready()
					lg(d.name, f, strings.TrimSpace(body))
				}
				s.proxy.heal()
			}
		})
	}
}

var _ = filepath.Join

func lg(a ...any) { fmt.Println(strings.ReplaceAll(fmt.Sprintln(a...), "\n", "|")) }
