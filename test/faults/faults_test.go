// Package faults holds the suite of faults: each server that the product depends on is
// down, slow, half-open, says rubbish, and dies in the middle of an answer, while people
// ask. It tells what they see and that everything is as before once the server is back,
// with no restart. docs/faults.md has the table.
package faults

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/pkg/result/store/objects/objectstest"
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

func onTrino(t *testing.T) *system {
	var p *proxy
	server := newTrino(t, func() string { return p.address })
	p = before(t, hostOf(server.Server))
	s := start(t, p, nil, func(c *config.Config) {
		bakery(t, c.DataDir, &source.TrinoConnection{URL: "http://" + p.address, User: "svc", Regions: map[string]source.TrinoPlace{"bakery": {Catalog: "bakery"}}})
		c.ChatBI.Config.Trino.RetryTimeout, c.ChatBI.Config.Trino.AnswerTimeout = time.Second, 3*time.Second
		c.ChatBI.Config.Trino.Failures, c.ChatBI.Config.Trino.ProbeAfter = 2, 300*time.Millisecond
		c.ChatBI.Config.Limits.Timeout = 10 * time.Second
		c.ChatBI.Config.Trino.EndTimeout = time.Second
	})
	ask := s.turn(&routerv1.Turn{Source: "bakery", Question: "run SELECT loaves FROM bakery.main.bread_sales"})
	s.question = func(ctx context.Context) (string, string, string, error) {
		before := server.statements.Load()
		outcome, code, text, err := ask(ctx)
		require.LessOrEqual(t, server.statements.Load(), before+1, "no statement is run twice")
		return outcome, code, text, err
	}
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
	router := routerv1.NewRouterServiceClient(s.conn)
	made, err := router.CreateSession(t.Context(), &routerv1.CreateSessionRequest{})
	require.NoError(t, err)
	session := made.GetSession().GetSessionId()
	var answered []string // runs
	s.question = func(ctx context.Context) (string, string, string, error) {
		got, err := router.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Source: "bakery", SessionId: session, Question: "which tables hold bread sales?"}})
		if err == nil {
			answered = append(answered, got.GetAnswer().GetRunId())
		}
		return strings.ToLower(strings.TrimPrefix(got.GetAnswer().GetOutcome().String(), "OUTCOME_")), "", got.GetAnswer().GetText(), err
	}
	s.whole = func(t *testing.T) { // what was answered is stored, once each
		got, err := router.GetSession(t.Context(), &routerv1.GetSessionRequest{SessionId: session, PageSize: 500})
		require.NoError(t, err)
		kept := make(map[string]int)
		for _, turn := range got.GetMessages() {
			if turn.GetRole() == "assistant" {
				kept[turn.GetRunId()]++
			}
		}
		for _, id := range answered {
			require.Equal(t, 1, kept[id], "%s of %d answers", id, len(answered))
		}
	}
	return s
}

// onObjectStorage asks for a page of a result: its rows are in object storage, its index in
// PostgreSQL, which is well.
func onObjectStorage(t *testing.T) *system {
	dsn := postgrestest.DSN(t)
	server := objectstest.New(t)
	p := before(t, hostOf(server.Server))
	var trino *trinoServer
	trino = newTrino(t, func() string { return hostOf(trino.Server) })
	s := start(t, p, nil, func(c *config.Config) {
		bakery(t, c.DataDir, &source.TrinoConnection{URL: trino.URL, User: "svc", Regions: map[string]source.TrinoPlace{"bakery": {Catalog: "bakery"}}})
		c.Store.Kind, c.Store.DSN = config.StorePostgres, config.Secret(dsn)
		s3 := &c.Results.S3
		c.Results.Kind, s3.Endpoint, s3.Bucket, s3.Region, s3.PathStyle = config.ResultsS3, "http://"+p.address, objectstest.Bucket, objectstest.Region, true
		s3.AccessKeyID, s3.SecretAccessKey = objectstest.KeyID, objectstest.Secret
		s3.AnswerTimeout, s3.Timeout, s3.Failures, s3.ProbeAfter = 500*time.Millisecond, 5*time.Second, 2, 300*time.Millisecond
	})
	bi := chatbiv1.NewChatBIServiceClient(s.conn)
	ran, err := bi.ExecuteAndAnalyzeUnary(t.Context(), &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{Source: "bakery", Sql: "SELECT loaves FROM bakery.main.bread_sales"}})
	require.NoError(t, err)
	id := ran.GetResult().GetPage().GetResultId()
	require.NotEmpty(t, id)
	s.question = func(ctx context.Context) (string, string, string, error) {
		got, err := bi.GetResultPage(ctx, &chatbiv1.GetResultPageRequest{ResultId: id})
		return answeredWord, "", got.GetPage().String(), err
	}
	s.whole = func(t *testing.T) { require.Len(t, server.Names(t), 1, "one result, once") }
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

func onCollector(t *testing.T, server *collectorServer, p *proxy) *system {
	s := start(t, p, func(key string) string {
		if key == "OTEL_EXPORTER_OTLP_ENDPOINT" {
			return "http://" + p.address
		}
		return ""
	}, func(c *config.Config) { bakery(t, c.DataDir, nil) })
	s.question = s.find("bread sales")
	s.whole = func(t *testing.T) { // traces come again
		before := server.traces.Load()
		s.comesTo(t, "more", func() string {
			s.ask()
			if server.traces.Load() > before {
				return "more"
			}
			return "nothing comes"
		})
	}
	return s
}

func onLoki(t *testing.T) *system {
	p := before(t, hostOf(newLoki(t)))
	s := start(t, p, nil, func(c *config.Config) {
		bakery(t, c.DataDir, nil)
		c.Logify.Config.LokiURL, c.Logify.Config.Timeout = "http://"+p.address, 3*time.Second
		c.Logify.Config.Failures, c.Logify.Config.ProbeAfter = 2, 300*time.Millisecond
		c.Logify.Config.KnownFor = time.Millisecond
	})
	s.question = s.turn(&routerv1.Turn{Source: "bakery", Question: `{app="checkout"} |= "error"`, AgentName: "Logify Agent"})
	return s
}

// expected is what a fault comes to.
type expected struct {
	// outcome of the first question: of its answer, or the code of its error; with the
	// code of its warning, or the reason of the error.
	outcome, code string
	// says is in what the person reads.
	says string
	// soon is in what a later question says while the fault lasts: the server is left
	// alone, and nobody waits for it. Empty: each question is like the first.
	soon string
	// probe is what /readyz comes to while the fault lasts; empty: 200 and nothing else.
	probe string
	// down: /readyz is 503 then.
	down bool
}

// What people are told. docs/faults.md has these words.
const (
	trinoAway    = "the Trino server cannot be reached"
	trinoAlone   = "Trino does not answer since"
	lokiAway     = "Loki cannot be reached"
	lokiAlone    = "Loki does not answer since"
	storeAway    = "The store of sessions cannot be reached. Nothing stored is lost"
	storeSilent  = "The store of sessions does not answer in time"
	byWords      = "The search by meaning does not answer: tables were found by their words alone."
	byOwnIndex   = "The search server for words does not answer: tables were searched in the service's own index."
	modelAlone   = "LLM_CIRCUIT_OPEN"
	chatbiLess   = "chatbi is degraded: Trino does not answer since"
	logifyLess   = "logify is degraded: Loki does not answer since"
	modelLess    = "model is degraded: The model fails since"
	findataLess  = "findata is degraded"
	storeAlone   = "The store of sessions does not answer since"
	storeNot     = "session-store is not ready"
	reduced      = "SEARCH_REDUCED"
	modelFailed  = "MODEL_FAILED"
	noStore      = "STORE_UNAVAILABLE"
	noFiles      = "RESULT_FILES_UNAVAILABLE"
	filesAway    = "The object storage with the rows of results cannot be used at present"
	filesAlone   = "The object storage with the rows of results does not answer since"
	filesLess    = "chatbi is degraded: The object storage with the rows of results"
	answeredWord = "answered"
	loaves       = "Loaves are 42."
	bread        = "bakery.main.bread_sales"
)

// table is what people see: 9 servers with 5 faults each.
var table = map[string]map[trouble]expected{
	"trino": {
		down:     {outcome: "failed", says: trinoAway, soon: trinoAlone, probe: chatbiLess},
		slow:     {outcome: answeredWord, says: loaves},
		halfOpen: {outcome: "failed", says: "Trino does not answer: it left a request without a word", soon: trinoAlone, probe: chatbiLess},
		rubbish:  {outcome: "failed", says: trinoAway, soon: trinoAlone, probe: chatbiLess},
		killed:   {outcome: "failed", says: trinoAway},
	},
	"postgresql": {
		down:     {outcome: "Unavailable", code: noStore, says: storeAway, soon: storeAlone, probe: storeNot, down: true},
		slow:     {outcome: "Unavailable", code: noStore, says: storeSilent, soon: storeAlone, probe: storeNot, down: true},
		halfOpen: {outcome: "Unavailable", code: noStore, says: storeSilent, soon: storeAlone, probe: storeNot, down: true},
		rubbish:  {outcome: "Unavailable", code: noStore, says: storeAway, soon: storeAlone, probe: storeNot, down: true},
		killed:   {outcome: "Unavailable", code: noStore, says: storeAway},
	},
	"object storage": {
		down:     {outcome: "Unavailable", code: noFiles, says: filesAway, soon: filesAlone, probe: filesLess},
		slow:     {outcome: answeredWord, says: "42"},
		halfOpen: {outcome: "Unavailable", code: noFiles, says: filesAway, soon: filesAlone, probe: filesLess},
		rubbish:  {outcome: "Unavailable", code: noFiles, says: filesAway, soon: filesAlone, probe: filesLess},
		killed:   {outcome: answeredWord, says: "42"},
	},
	"milvus": {
		down:     {outcome: answeredWord, code: reduced, says: byWords, probe: findataLess},
		slow:     {outcome: answeredWord, code: reduced, says: byWords, probe: findataLess},
		halfOpen: {outcome: answeredWord, code: reduced, says: byWords, probe: findataLess},
		rubbish:  {outcome: answeredWord, code: reduced, says: byWords, probe: findataLess},
		killed:   {outcome: answeredWord, code: reduced, says: byWords},
	},
	"elasticsearch": {
		down:     {outcome: answeredWord, code: reduced, says: byOwnIndex, probe: findataLess},
		slow:     {outcome: answeredWord, code: reduced, says: byOwnIndex, probe: findataLess},
		halfOpen: {outcome: answeredWord, code: reduced, says: byOwnIndex, probe: findataLess},
		rubbish:  {outcome: answeredWord, code: reduced, says: byOwnIndex, probe: findataLess},
		killed:   {outcome: answeredWord, code: reduced, says: byOwnIndex},
	},
	"model": {
		down:     {outcome: answeredWord, code: modelFailed, says: "LLM_", soon: modelAlone, probe: modelLess},
		slow:     {outcome: answeredWord, code: modelFailed, says: "LLM_", soon: modelAlone, probe: modelLess},
		halfOpen: {outcome: answeredWord, code: modelFailed, says: "LLM_", soon: modelAlone, probe: modelLess},
		rubbish:  {outcome: answeredWord, code: modelFailed, says: "LLM_", soon: modelAlone, probe: modelLess},
		killed:   {outcome: answeredWord, code: modelFailed, says: "LLM_"},
	},
	"embeddings": {
		down:     {outcome: answeredWord, code: reduced, says: byWords, probe: findataLess},
		slow:     {outcome: answeredWord, code: reduced, says: byWords, probe: findataLess},
		halfOpen: {outcome: answeredWord, code: reduced, says: byWords, probe: findataLess},
		rubbish:  {outcome: answeredWord, code: reduced, says: byWords, probe: findataLess},
		killed:   {outcome: answeredWord, code: reduced, says: byWords},
	},
	"collector": {
		down:     {outcome: answeredWord, says: bread},
		slow:     {outcome: answeredWord, says: bread},
		halfOpen: {outcome: answeredWord, says: bread},
		rubbish:  {outcome: answeredWord, says: bread},
		killed:   {outcome: answeredWord, says: bread},
	},
	"loki": {
		down:     {outcome: "failed", says: "Loki", soon: lokiAlone, probe: logifyLess},
		slow:     {outcome: answeredWord, says: "the oven is cold"},
		halfOpen: {outcome: "failed", says: "Loki did not answer within", soon: lokiAlone, probe: logifyLess},
		rubbish:  {outcome: "failed", says: lokiAway, soon: lokiAlone, probe: logifyLess},
		killed:   {outcome: "failed", says: lokiAway},
	},
}

// TestFaults makes each fault before each server, asks, and lets the server come back.
func TestFaults(t *testing.T) {
	collected := newCollector(t)
	forCollector := before(t, hostOf(collected.Server))
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+forCollector.address) // of the one process that is told to send
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "50")                               // milliseconds
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "500")
	processes := map[string]func(t *testing.T) *system{
		"trino": onTrino, "postgresql": onPostgreSQL, "object storage": onObjectStorage, "milvus": onMilvus, "elasticsearch": onElasticsearch, "model": onModel,
		"embeddings": onEmbeddings, "loki": onLoki,
		"collector": func(t *testing.T) *system { return onCollector(t, collected, forCollector) },
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(table)), slices.Collect(maps.Keys(processes)))
	for name, process := range processes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Len(t, table[name], len(allFaults))
			s := process(t)
			for _, f := range allFaults {
				t.Run(string(f), func(t *testing.T) { s.suffers(t, f, table[name][f]) })
			}
		})
	}
}

// suffers makes a fault and says what has to be seen before, meanwhile and afterwards.
func (s *system) suffers(t *testing.T, f trouble, want expected) {
	s.well(t)
	kills := s.proxy.killings()
	s.proxy.make(f)
	got := s.ask()
	for f == killed && s.proxy.killings() == kills { // the first needed no answer of the server
		got = s.ask()
	}
	require.Equal(t, want.outcome, got.outcome, "%s", got)
	require.Equal(t, want.code, got.code, "%s", got)
	require.Contains(t, got.text, want.says, "%s", got)
	require.NotContains(t, got.text, "rpc error", "%s", got)
	if got.err != nil {
		require.Positive(t, got.retry, "an error that passes says when to come back: %s", got)
	}
	if want.soon != "" {
		s.comesTo(t, want.soon, func() string { got = s.ask(); return got.text })
		require.Equal(t, want.outcome, got.outcome, "%s", got)
	}
	if f != killed {
		s.comesTo(t, want.probe, func() string {
			if want.probe != "" { // a search that fails is what tells of an endpoint
				s.ask()
			}
			code, body := s.ready()
			require.Equal(t, want.down && strings.Contains(body, "not ready"), code == http.StatusServiceUnavailable, "%d %s", code, body)
			return body
		})
		s.proxy.heal()
	}
	s.well(t)
}

// comesTo waits until a text is said.
func (s *system) comesTo(t *testing.T, want string, said func() string) {
	t.Helper()
	begun, last := time.Now(), ""
	for time.Since(begun) < hangs {
		if last = said(); strings.Contains(last, want) {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
	t.Fatalf("%q was never said; the last was %q", want, last)
}

// well waits until a question is answered as without a fault, and until probes are told
// that all is well: without a restart.
func (s *system) well(t *testing.T) {
	t.Helper()
	s.comesTo(t, "answered:", func() string {
		got := s.ask()
		return fmt.Sprintf("%s%s: %s", got.outcome, got.code, got)
	})
	s.comesTo(t, "200 ready\n.", func() string {
		code, body := s.ready()
		return fmt.Sprintf("%d %s.", code, body)
	})
	s.whole(t)
}
