package app_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// testConfig is a process on free ports with its own data directory, which
// does not make the demo.
func testConfig(t *testing.T) config.Config {
	t.Helper()
	c := config.Default()
	c.DataDir, c.Source = t.TempDir(), "none"
	c.Listen, c.Admin.Listen = "127.0.0.1:0", "127.0.0.1:0"
	c.Limits.DrainTimeout = time.Second
	return c
}

// running starts a process and ends it with the test.
type running struct {
	t         *testing.T
	app       *app.App
	addresses map[string]string
	stop      context.CancelFunc
	done      chan error
	once      sync.Once
}

func start(t *testing.T, c config.Config, targets ...string) *running {
	t.Helper()
	return startWith(t, c, app.Options{}, targets...)
}

func startWith(t *testing.T, c config.Config, o app.Options, targets ...string) *running {
	t.Helper()
	a, err := app.New(t.Context(), c, targets, o)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	r := &running{t: t, app: a, stop: stop, done: make(chan error, 1), addresses: make(map[string]string)}
	for _, address := range a.Addresses() {
		r.addresses[address.What] = address.Addr.String()
	}
	go func() { r.done <- a.Run(ctx) }()
	t.Cleanup(r.end)
	require.Eventually(t, func() bool { return r.get("/readyz") == http.StatusOK }, hangs, 10*time.Millisecond)
	return r
}

// hangs is the time after which a process that is not ready never will be, on
// machines where everything is slow.
const hangs = 5 * time.Minute

func (r *running) end() {
	r.once.Do(func() {
		r.stop()
		require.NoError(r.t, <-r.done)
	})
}

func (r *running) get(path string) int {
	code, _ := r.fetch(path)
	return code
}

func (r *running) body(path string) string {
	_, body := r.fetch(path)
	return body
}

func (r *running) fetch(path string) (int, string) {
	response, err := http.Get("http://" + r.addresses["admin"] + path)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = response.Body.Close() }()
	body, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(body)
}

// probed is what a kubelet gets from the admin port, where it speaks gRPC without TLS.
func (r *running) probed(service string) healthv1.HealthCheckResponse_ServingStatus {
	r.t.Helper()
	conn, err := grpc.NewClient(r.addresses["admin"], grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(r.t, err)
	defer func() { _ = conn.Close() }()
	response, err := healthv1.NewHealthClient(conn).Check(r.t.Context(), &healthv1.HealthCheckRequest{Service: service})
	require.NoError(r.t, err)
	return response.GetStatus()
}

func (r *running) dial() *grpc.ClientConn {
	r.t.Helper()
	conn, err := grpc.NewClient(r.addresses["gRPC"], grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestMonolithServesAndStops(t *testing.T) {
	t.Parallel()
	r := start(t, testConfig(t), app.All)
	require.Equal(t, http.StatusOK, r.get("/healthz"))
	require.Equal(t, http.StatusOK, r.get("/metrics"))
	require.Equal(t, http.StatusNotFound, r.get("/"))
	health := healthv1.NewHealthClient(r.dial())
	for _, service := range []string{"", "dibrain.router.v1.RouterService", "dibrain.findata.v1.FindDataService", "dibrain.findata.v1.CatalogService",
		"dibrain.text2sql.v1.Text2SQLService", "dibrain.fixsql.v1.FixSQLService", "dibrain.chatbi.v1.ChatBIService",
		"dibrain.knowledge.v1.KnowledgeService", "dibrain.logify.v1.LogifyService", "dibrain.analysis.v1.AnalysisService"} {
		response, err := health.Check(t.Context(), &healthv1.HealthCheckRequest{Service: service})
		require.NoError(t, err, service)
		require.Equal(t, healthv1.HealthCheckResponse_SERVING, response.GetStatus(), service)
		require.Equal(t, healthv1.HealthCheckResponse_SERVING, r.probed(service), service)
	}
	r.end()
	require.Zero(t, r.get("/healthz"), "nothing listens any more")
}

func TestTokenModeWantsTokensAtTheEdge(t *testing.T) {
	t.Parallel()
	token, hash, err := auth.NewToken(nil)
	require.NoError(t, err)
	c := testConfig(t)
	c.Auth.Mode, c.Auth.TokenFile = string(auth.ModeToken), filepath.Join(t.TempDir(), "tokens.yaml")
	require.NoError(t, os.WriteFile(c.Auth.TokenFile, []byte("tokens: [{hash: \""+hash+"\", principal: alice}]"), 0o600))
	conn := start(t, c, app.All).dial()
	client := analysisv1.NewAnalysisServiceClient(conn)
	_, err = client.GetAnalysis(t.Context(), &analysisv1.GetAnalysisRequest{AnalysisId: "ana_0"})
	require.Equal(t, "TOKEN_MISSING", fault.ReasonOf(err))
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token)
	_, err = client.GetAnalysis(ctx, &analysisv1.GetAnalysisRequest{AnalysisId: "ana_0"})
	require.Equal(t, "ANALYSIS_UNKNOWN", fault.ReasonOf(err), "past the edge")

	// No other process calls a service of the monolith, so that its port takes no hop
	// token, not even one that is signed with the deployment's own key.
	for _, service := range []string{"analysis", "router", "findata"} {
		_, err = callWith(t, conn, sign(t, c, nil, service), service)
		require.Equal(t, "HOP_TOKEN_INVALID", fault.ReasonOf(err), service)
		require.ErrorContains(t, err, "is not accepted here")
	}
}

// sign makes a hop token for a service with the key of the configuration's data
// directory, or with another.
func sign(t *testing.T, c config.Config, other []byte, service string) string {
	t.Helper()
	key, err := auth.EnsureKey(c.DataDir, nil)
	require.NoError(t, err)
	if other != nil {
		key = other
	}
	hops, err := auth.NewHopKey(key, nil)
	require.NoError(t, err)
	token, err := hops.Sign(run.Principal{ID: "bob"}, service)
	require.NoError(t, err)
	return token
}

// callWith makes a call of a service that needs nothing, with a hop token.
func callWith(t *testing.T, conn *grpc.ClientConn, hop, service string) (any, error) {
	t.Helper()
	ctx := metadata.AppendToOutgoingContext(t.Context(), auth.KeyHop, hop)
	switch service {
	case "router":
		return routerv1.NewRouterServiceClient(conn).ListTools(ctx, &routerv1.ListToolsRequest{})
	case "findata":
		return findatav1.NewCatalogServiceClient(conn).ListSources(ctx, &findatav1.ListSourcesRequest{})
	default:
		return analysisv1.NewAnalysisServiceClient(conn).GetAnalysis(ctx, &analysisv1.GetAnalysisRequest{AnalysisId: "ana_0"})
	}
}

func TestHopTokensAreForTheServicesThatOthersCall(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Auth.Mode = string(auth.ModeServices)
	conn := start(t, c, app.FindData).dial()
	_, err := callWith(t, conn, sign(t, c, nil, "findata"), "findata")
	require.NoError(t, err, "the router's process calls it")
	_, err = callWith(t, conn, sign(t, c, bytes.Repeat([]byte("x"), 32), "findata"), "findata")
	require.Equal(t, "HOP_TOKEN_INVALID", fault.ReasonOf(err), "another deployment's key")
	_, err = callWith(t, conn, sign(t, c, nil, "chatbi"), "findata")
	require.Equal(t, "HOP_TOKEN_INVALID", fault.ReasonOf(err), "a token for another service")
	_, err = findatav1.NewCatalogServiceClient(conn).ListSources(t.Context(), &findatav1.ListSourcesRequest{})
	require.Equal(t, "HOP_TOKEN_MISSING", fault.ReasonOf(err), "nobody from outside is let in")

	c = testConfig(t)
	c.Auth.Mode = string(auth.ModeServices)
	require.ErrorContains(t, app.Verify(t.Context(), c, []string{app.All}), "so nobody could")
}

func TestProcessesHoldTheKeysThatTheyNeed(t *testing.T) {
	t.Parallel()
	deployment := testConfig(t)
	master, err := app.HopKey(deployment, app.Options{})
	require.NoError(t, err)
	withKeys := func(audiences ...string) config.Config {
		c := testConfig(t)
		c.Auth.HopKeysFile = filepath.Join(t.TempDir(), "hop-keys.yaml")
		file, err := os.Create(c.Auth.HopKeysFile)
		require.NoError(t, err)
		require.NoError(t, master.WriteKeys(file, audiences))
		require.NoError(t, file.Close())
		return c
	}
	audiences, err := app.HopAudiences([]string{app.FindData})
	require.NoError(t, err)
	require.Equal(t, []string{"findata"}, audiences, "find data calls nobody")
	findata := start(t, withKeys(audiences...), app.FindData)

	audiences, err = app.HopAudiences([]string{app.FixSQL})
	require.NoError(t, err)
	require.Equal(t, []string{"chatbi", "findata", "fixsql", "text2sql"}, audiences, "chat BI and text2sql are asked where they are")
	c := withKeys(audiences...)
	c.FindData.Address = findata.addresses["gRPC"]
	conn := start(t, c, app.FixSQL).dial()
	_, err = fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(t.Context(), &fixsqlv1.CheckSQLRequest{Sql: "SELECT * FROM orders", Source: "nowhere"})
	require.Equal(t, "SOURCE_UNKNOWN", fault.ReasonOf(err), "fix SQL asks find data, which believes who asks")

	c = withKeys("fixsql", "chatbi", "text2sql")
	c.FindData.Address = findata.addresses["gRPC"]
	_, err = app.New(t.Context(), c, []string{app.FixSQL}, app.Options{})
	require.ErrorContains(t, err, "no hop key for findata")
	require.ErrorContains(t, app.Verify(t.Context(), c, []string{app.FixSQL}), "no hop key for findata")
}

func TestReadinessTellsOfTokensThatCannotBeRead(t *testing.T) {
	t.Parallel()
	token, hash, err := auth.NewToken(nil)
	require.NoError(t, err)
	c := testConfig(t)
	c.Auth.Mode, c.Auth.TokenFile, c.Auth.TokenGrace = string(auth.ModeToken), filepath.Join(t.TempDir(), "tokens.yaml"), time.Hour
	require.NoError(t, os.WriteFile(c.Auth.TokenFile, []byte("tokens: [{hash: \""+hash+"\", principal: alice}]"), 0o600))
	var mu sync.Mutex
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	pass := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(d) }
	r := startWith(t, c, app.Options{Clock: clock}, app.All)
	require.Contains(t, r.body("/metrics"), "dibrain_token_file_unreadable_seconds 0\n")

	require.NoError(t, os.Remove(c.Auth.TokenFile))
	pass(time.Minute)
	require.Eventually(t, func() bool { return strings.Contains(r.body("/readyz"), "tokens is degraded") }, hangs, 10*time.Millisecond)
	require.Equal(t, http.StatusOK, r.get("/readyz"), "the tokens stay valid for a while")
	pass(time.Hour)
	require.Eventually(t, func() bool { return r.get("/readyz") == http.StatusServiceUnavailable }, hangs, 10*time.Millisecond)
	require.Contains(t, r.body("/readyz"), "tokens is not ready: nobody is let in")
	require.Equal(t, healthv1.HealthCheckResponse_NOT_SERVING, r.probed(""), "a kubelet sends no calls")
	require.Equal(t, healthv1.HealthCheckResponse_SERVING, r.probed("liveness"), "and does not start it again: that would mend nothing")
	require.Contains(t, r.body("/metrics"), "dibrain_token_file_unreadable_seconds 3600\n")
	require.Contains(t, r.body("/metrics"), `dibrain_module_state{module="tokens",state="not_ready"} 1`)
	_, err = analysisv1.NewAnalysisServiceClient(r.dial()).GetAnalysis(
		metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token), &analysisv1.GetAnalysisRequest{AnalysisId: "ana_0"})
	require.Equal(t, auth.ReasonTokensUnreadable, fault.ReasonOf(err))
}

func TestSplitProcessesServeOnlyTheirOwn(t *testing.T) {
	t.Parallel()
	findata := start(t, testConfig(t), app.FindData)
	c := testConfig(t)
	c.FindData.Address = findata.addresses["gRPC"]
	r := start(t, c, app.FixSQL)
	health := healthv1.NewHealthClient(r.dial())
	_, err := health.Check(t.Context(), &healthv1.HealthCheckRequest{Service: "dibrain.fixsql.v1.FixSQLService"})
	require.NoError(t, err)
	_, err = health.Check(t.Context(), &healthv1.HealthCheckRequest{Service: "dibrain.router.v1.RouterService"})
	require.Equal(t, codes.NotFound, status.Code(err))
	_, err = routerv1.NewRouterServiceClient(r.dial()).ListTools(t.Context(), &routerv1.ListToolsRequest{})
	require.Equal(t, codes.Unimplemented, status.Code(err))
}

func TestStartingUndoesItselfOnFailure(t *testing.T) {
	t.Parallel()
	taken := start(t, testConfig(t), app.All)
	c := testConfig(t)
	c.Admin.Listen = taken.addresses["gRPC"] // the last thing that is opened
	_, err := app.New(t.Context(), c, []string{app.All}, app.Options{})
	require.Equal(t, "ADDRESS_IN_USE", fault.ReasonOf(err))
	require.ErrorContains(t, err, "--admin-listen")
	c.Admin.Listen = ""
	again, err := app.New(t.Context(), c, []string{app.All}, app.Options{})
	require.NoError(t, err, "the same data directory can be opened again")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, again.Run(ended))

	c = testConfig(t)
	c.Listen = ":0"
	_, err = app.New(t.Context(), c, []string{app.All}, app.Options{})
	require.Equal(t, "LISTEN_BEYOND_LOOPBACK", fault.ReasonOf(err))
	c = testConfig(t)
	file := filepath.Join(c.DataDir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	c.DataDir = file
	_, err = app.New(t.Context(), c, []string{app.All}, app.Options{})
	require.Equal(t, "DATA_DIR_NOT_WRITABLE", fault.ReasonOf(err))
}

func TestInProcessOpensNoPort(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Listen = "127.0.0.1:1" // would not be permitted or free: it is never opened
	local, err := app.InProcess(t.Context(), c, app.Options{})
	require.NoError(t, err)
	_, err = analysisv1.NewAnalysisServiceClient(local.Conn()).GetAnalysis(t.Context(), &analysisv1.GetAnalysisRequest{AnalysisId: "ana_0"})
	require.Equal(t, "ANALYSIS_UNKNOWN", fault.ReasonOf(err))
	require.NotNil(t, local.Sources())
	require.NoError(t, local.Close())
}

func TestTargets(t *testing.T) {
	t.Parallel()
	targets, err := app.ParseTargets(" router, chatbi,router")
	require.NoError(t, err)
	require.Equal(t, []string{app.Router, app.ChatBI}, targets)
	targets, err = app.ParseTargets("")
	require.NoError(t, err)
	require.Equal(t, []string{app.All}, targets)
	_, err = app.ParseTargets("routr")
	require.Equal(t, "TARGET_UNKNOWN", fault.ReasonOf(err))
	_, err = app.ParseTargets("identity")
	require.Equal(t, "TARGET_UNKNOWN", fault.ReasonOf(err), "inner modules are no targets")

	c := testConfig(t)
	for _, target := range app.Targets() {
		err := app.Verify(t.Context(), c, []string{target.Name})
		if target.Name == app.All || target.Name == app.FindData || target.Name == app.Knowledge || target.Name == app.Logify {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "findata.address is missing")
	}
	require.NoError(t, app.Verify(t.Context(), c, []string{app.FindData, app.ChatBI}), "what is in the process needs no address")
	c.Auth.HopKeyFile = filepath.Join(t.TempDir(), "absent")
	err = app.Verify(t.Context(), c, []string{app.All})
	require.Equal(t, "CONFIG_INVALID", fault.ReasonOf(err), "files are read")
	require.ErrorContains(t, err, "auth.hop_key_file")
	empty, err := os.ReadDir(c.DataDir)
	require.NoError(t, err)
	require.Empty(t, empty, "verifying starts nothing")

	c.Auth.HopKeyFile = ""
	require.NoError(t, os.WriteFile(filepath.Join(c.DataDir, auth.KeyFileName), []byte("cut off"), 0o600))
	require.ErrorContains(t, app.Verify(t.Context(), c, []string{app.All}), "hop key", "the key of the data directory is one too")
}

// A collector that is away is told to the log, and fails no work.
func TestACollectorThatIsAwayFailsNothing(t *testing.T) { // sets a variable: not parallel
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	var log bytes.Buffer
	l, err := app.InProcess(t.Context(), testConfig(t), app.Options{Getenv: os.Getenv, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	response, err := routerv1.NewRouterServiceClient(l.Conn()).ListTools(t.Context(), &routerv1.ListToolsRequest{})
	require.NoError(t, err)
	require.NotEmpty(t, response.GetTools())
	require.NoError(t, l.Close())
	require.Contains(t, log.String(), "not all traces, metrics and log lines were sent")
}
