package rpc_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
)

func TestChainChecksTheOrder(t *testing.T) {
	t.Parallel()
	_, err := rpc.Chain(rpc.Link{Name: "b", After: []string{"a"}}, rpc.Link{Name: "a"})
	require.EqualError(t, err, `interceptor "b" must come after "a"`)
	_, err = rpc.Chain(rpc.Link{Name: "a"}, rpc.Link{Name: "a"})
	require.EqualError(t, err, `interceptor "a" is in the chain twice`)
	_, err = rpc.Chain(rpc.Link{Name: "a"}, rpc.Link{Name: "b", After: []string{"a"}})
	require.NoError(t, err)
}

func TestOnlyIdempotentCallsAreTriedAgain(t *testing.T) {
	t.Parallel()
	var checks, asks atomic.Int32
	away := fault.New(codes.Unavailable, "ENGINE_AWAY", "The engine is away.")
	f := &fake{
		check: func(context.Context, *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
			if checks.Add(1) < 3 {
				return nil, away
			}
			return &fixsqlv1.CheckSQLResponse{}, nil
		},
		ask: func(context.Context, *routerv1.AskRequest) (*routerv1.AskResponse, error) {
			asks.Add(1)
			return nil, away
		},
	}
	_, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(nil)}, rpc.ClientDeps{})
	_, err := fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(t.Context(), &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
	require.NoError(t, err)
	require.Equal(t, int32(3), checks.Load())
	_, err = routerv1.NewRouterServiceClient(conn).Ask(t.Context(), &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "q"}})
	require.Equal(t, "ENGINE_AWAY", fault.ReasonOf(err), "what the server said is kept")
	require.Equal(t, int32(1), asks.Load(), "Ask has effects")
}

func TestAServerThatIsAwayIsToldInWords(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	conn, err := rpc.Dial("dns:///"+address, rpc.ClientConfig{ReadyTimeout: 50 * time.Millisecond}, rpc.ClientDeps{Hops: testKey(t, 1)})
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, unaryErr := fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(t.Context(), &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
	_, streamErr := routerv1.NewRouterServiceClient(conn).Chat(t.Context(), &routerv1.ChatRequest{})
	for service, err := range map[string]error{"fixsql": unaryErr, "router": streamErr} {
		require.Equal(t, codes.Unavailable, status.Code(err))
		require.Equal(t, "SERVICE_UNREACHABLE", fault.ReasonOf(err))
		require.Contains(t, err.Error(), "The service "+service+" does not answer")
		require.NotContains(t, err.Error(), address, "an address is no news for a person")
		require.Positive(t, fault.FromStatus(err).RetryAfter)
	}
	outside, err := rpc.Dial(address, rpc.ClientConfig{ReadyTimeout: 50 * time.Millisecond}, rpc.ClientDeps{})
	require.NoError(t, err)
	defer func() { _ = outside.Close() }()
	_, err = fixsqlv1.NewFixSQLServiceClient(outside).CheckSQL(t.Context(), &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
	require.ErrorContains(t, err, "at "+address+".", "who chose the address reads it")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(ctx, &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
	require.ErrorIs(t, err, context.Canceled)
}

func TestCallsWithoutADeadlineGetOne(t *testing.T) {
	t.Parallel()
	deadlines := make(chan bool, 1)
	f := &fake{check: func(ctx context.Context, _ *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
		at, ok := ctx.Deadline()
		deadlines <- ok && time.Until(at) > 30*time.Minute
		return &fixsqlv1.CheckSQLResponse{}, nil
	}}
	server, err := rpc.NewServer(rpc.ServerConfig{MaxDeadline: 2 * time.Hour}, rpc.ServerDeps{Gate: localGate(nil)})
	require.NoError(t, err)
	f.register(server)
	pipe := rpc.NewPipe()
	go func() { _ = server.Serve(pipe) }()
	defer func() { _ = server.Stop(context.Background()) }()
	conn, err := rpc.Dial(rpc.PipeTarget, rpc.ClientConfig{CallTimeout: time.Hour}, rpc.ClientDeps{Options: []grpc.DialOption{pipe.Dialer()}})
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(context.Background(), &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
	require.NoError(t, err)
	require.True(t, <-deadlines, "the deadline reaches the server")
}

func TestCallersHearAServiceThatIsBack(t *testing.T) {
	t.Parallel()
	f := &fake{check: func(context.Context, *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
		return &fixsqlv1.CheckSQLResponse{}, nil
	}}
	open := func(address string) (*rpc.Server, net.Listener) {
		l, err := rpc.Listen(t.Context(), address, "--listen")
		require.NoError(t, err)
		server, err := rpc.NewServer(rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(nil)})
		require.NoError(t, err)
		f.register(server)
		go func() { _ = server.Serve(l) }()
		return server, l
	}
	first, l := open("127.0.0.1:0")
	var tries atomic.Int64
	counted := grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
		tries.Add(1)
		return new(net.Dialer).DialContext(ctx, "tcp", address)
	})
	const maxBackoff = 50 * time.Millisecond
	conn, err := rpc.Dial(l.Addr().String(), rpc.ClientConfig{MaxBackoff: maxBackoff, ReadyTimeout: 5 * time.Second},
		rpc.ClientDeps{Options: []grpc.DialOption{counted}})
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	call := func() error {
		_, err := fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(t.Context(), &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
		return err
	}
	require.NoError(t, call())

	require.NoError(t, first.Stop(t.Context()))
	before := tries.Load()
	// With gRPC's own pauses this takes a quarter of a minute, and the next try
	// comes ten seconds later.
	require.Eventually(t, func() bool { conn.Connect(); return tries.Load() >= before+6 }, time.Minute, time.Millisecond)
	second, _ := open(l.Addr().String())
	defer func() { _ = second.Stop(context.Background()) }()
	require.NoError(t, call(), "the server is back, so the next call reaches it")
}

func TestALongOutageDoesNotMakeLongPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var tries []time.Time
		away := grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			tries = append(tries, time.Now())
			return nil, errors.New("connection refused")
		})
		conn, err := rpc.Dial("passthrough:///away", rpc.ClientConfig{}, rpc.ClientDeps{Options: []grpc.DialOption{away}})
		require.NoError(t, err)
		conn.Connect()
		<-time.After(2 * time.Minute)
		require.NoError(t, conn.Close())
		synctest.Wait()
		require.NotEmpty(t, tries)
		longest := time.Duration(0)
		for i := 1; i < len(tries); i++ {
			longest = max(longest, tries[i].Sub(tries[i-1]))
		}
		require.LessOrEqual(t, longest, 3*time.Second, "two seconds and the jitter")
		require.Greater(t, longest, time.Second, "a server that is away is not hammered")
	})
}

func TestSpansFollowTheCall(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	f := &fake{check: func(ctx context.Context, _ *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
		_, step := run.Start(ctx, "inner")
		step.End(nil)
		return &fixsqlv1.CheckSQLResponse{}, nil
	}}
	server, conn := serve(t, f, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(nil), Tracing: provider}, rpc.ClientDeps{Tracing: provider})
	ctx, root := run.Start(run.WithTracker(t.Context(), &run.Tracker{Tracer: provider.Tracer("t")}), "root")
	_, err := fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(ctx, &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
	require.NoError(t, err)
	root.End(nil)
	require.NoError(t, server.Stop(t.Context()))
	parents := map[string]string{}
	byID := map[string]string{}
	for _, s := range spans.Ended() {
		byID[s.SpanContext().SpanID().String()] = s.SpanKind().String() + " " + s.Name()
	}
	for _, s := range spans.Ended() {
		parents[s.SpanKind().String()+" "+s.Name()] = byID[s.Parent().SpanID().String()]
	}
	const rpcName = "dibrain.fixsql.v1.FixSQLService/CheckSQL"
	require.Equal(t, map[string]string{
		"internal root":     "",
		"client " + rpcName: "internal root",
		"server " + rpcName: "client " + rpcName,
		"internal inner":    "server " + rpcName,
	}, parents)
}

func TestListenSaysWhatToDo(t *testing.T) {
	t.Parallel()
	l, err := rpc.Listen(t.Context(), "127.0.0.1:0", "--listen")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	_, err = rpc.Listen(t.Context(), l.Addr().String(), "--listen")
	require.Equal(t, "ADDRESS_IN_USE", fault.ReasonOf(err))
	require.ErrorContains(t, err, l.Addr().String())
	require.ErrorContains(t, err, "--listen")
	_, err = rpc.Listen(t.Context(), "192.0.2.1:1", "--listen")
	require.Equal(t, "ADDRESS_UNUSABLE", fault.ReasonOf(err))
}

// authority issues certificates for a test.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	a.cert, a.key, a.file, _ = a.issue("ca", true)
	return a
}

func (a *authority) issue(name string, isCA bool) (cert *x509.Certificate, key *ecdsa.PrivateKey, certFile, keyFile string) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: isCA, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	require.NoError(a.t, err)
	cert, err = x509.ParseCertificate(der)
	require.NoError(a.t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(a.t, err)
	certFile, keyFile = filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+"-key.pem")
	require.NoError(a.t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(a.t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600))
	return cert, key, certFile, keyFile
}

func TestTLS(t *testing.T) {
	t.Parallel()
	ours, theirs := newAuthority(t), newAuthority(t)
	_, _, serverCert, serverKey := ours.issue("server", false)
	_, _, clientCert, clientKey := ours.issue("client", false)
	_, _, strangerCert, strangerKey := theirs.issue("stranger", false)

	serverTLS, err := rpc.TLSFiles{CertFile: serverCert, KeyFile: serverKey, CAFile: ours.file}.Server()
	require.NoError(t, err)
	server, err := rpc.NewServer(rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(nil), TLS: serverTLS})
	require.NoError(t, err)
	(&fake{check: func(context.Context, *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
		return &fixsqlv1.CheckSQLResponse{}, nil
	}}).register(server)
	l, err := rpc.Listen(t.Context(), "127.0.0.1:0", "listen")
	require.NoError(t, err)
	go func() { _ = server.Serve(l) }()
	defer func() { _ = server.Stop(context.Background()) }()

	for name, tc := range map[string]struct {
		files rpc.TLSFiles
		plain bool
		ok    bool
	}{
		"both known":        {files: rpc.TLSFiles{CertFile: clientCert, KeyFile: clientKey, CAFile: ours.file}, ok: true},
		"no client cert":    {files: rpc.TLSFiles{CAFile: ours.file}},
		"strange client":    {files: rpc.TLSFiles{CertFile: strangerCert, KeyFile: strangerKey, CAFile: ours.file}},
		"strange authority": {files: rpc.TLSFiles{CertFile: clientCert, KeyFile: clientKey, CAFile: theirs.file}},
		"plaintext":         {plain: true},
	} {
		deps := rpc.ClientDeps{}
		if !tc.plain {
			deps.TLS, err = tc.files.Client("")
			require.NoError(t, err, name)
		}
		conn, err := rpc.Dial(l.Addr().String(), rpc.ClientConfig{ReadyTimeout: time.Minute, RetryAttempts: 1}, deps)
		require.NoError(t, err, name)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		if tc.ok {
			cancel()
			ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		}
		_, err = fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(ctx, &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"})
		cancel()
		if tc.ok {
			require.NoError(t, err, name)
		} else {
			require.Error(t, err, name)
		}
		require.NoError(t, conn.Close())
	}
}

func TestCertificatesAreReadAgain(t *testing.T) {
	t.Parallel()
	old, renewed := newAuthority(t), newAuthority(t)
	dir := t.TempDir()
	files := map[string]string{} // where the processes look: what is there changes
	put := func(name, from string) {
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		files[name] = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(files[name], text, 0o600))
	}
	putAll := func(a *authority) {
		for _, side := range []string{"server", "client"} {
			_, _, cert, key := a.issue(side, false)
			put(side+".pem", cert)
			put(side+"-key.pem", key)
		}
		put("ca.pem", a.file)
	}
	putAll(old)
	logs := &lockedBuffer{}
	serverTLS, err := rpc.TLSFiles{CertFile: files["server.pem"], KeyFile: files["server-key.pem"], CAFile: files["ca.pem"], Log: logs.logger()}.Server()
	require.NoError(t, err)
	server, err := rpc.NewServer(rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(nil), TLS: serverTLS})
	require.NoError(t, err)
	(&fake{check: func(context.Context, *fixsqlv1.CheckSQLRequest) (*fixsqlv1.CheckSQLResponse, error) {
		return &fixsqlv1.CheckSQLResponse{}, nil
	}}).register(server)
	l, err := rpc.Listen(t.Context(), "127.0.0.1:0", "listen")
	require.NoError(t, err)
	go func() { _ = server.Serve(l) }()
	defer func() { _ = server.Stop(context.Background()) }()

	// One client's credentials, made once, as a process makes them; each call is on
	// a connection of its own.
	client, err := rpc.TLSFiles{CertFile: files["client.pem"], KeyFile: files["client-key.pem"], CAFile: files["ca.pem"]}.Client("")
	require.NoError(t, err)
	call := func() string {
		conn, err := rpc.Dial(l.Addr().String(), rpc.ClientConfig{ReadyTimeout: time.Minute}, rpc.ClientDeps{TLS: client})
		require.NoError(t, err)
		defer func() { _ = conn.Close() }()
		var p peer.Peer
		_, err = fixsqlv1.NewFixSQLServiceClient(conn).CheckSQL(t.Context(), &fixsqlv1.CheckSQLRequest{Sql: "SELECT 1"}, grpc.Peer(&p))
		require.NoError(t, err)
		return p.AuthInfo.(credentials.TLSInfo).State.PeerCertificates[0].SerialNumber.String()
	}
	first := call()
	require.Equal(t, first, call(), "nothing changed")

	require.NoError(t, os.WriteFile(files["server.pem"], []byte("half a certificate"), 0o600))
	require.Equal(t, first, call(), "what cannot be read leaves the earlier certificate in use")
	require.Contains(t, logs.String(), "the earlier ones stay in use")

	putAll(renewed)
	require.NotEqual(t, first, call(), "the new authority signs both sides, and both trust it")
}

func TestTLSFilesThatDoNotFit(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	_, _, cert, key := a.issue("x", false)
	plain, err := rpc.TLSFiles{}.Server()
	require.NoError(t, err)
	require.Nil(t, plain)
	_, err = rpc.TLSFiles{CAFile: a.file}.Server()
	require.Error(t, err)
	_, err = rpc.TLSFiles{CertFile: cert, KeyFile: a.file}.Server()
	require.ErrorContains(t, err, "tls.key_file")
	_, err = rpc.TLSFiles{CAFile: key}.Client("")
	require.ErrorContains(t, err, "no certificate")
	_, err = rpc.TLSFiles{CAFile: filepath.Join(a.dir, "absent")}.Client("")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestTokensAreNotSentInTheClear(t *testing.T) {
	t.Parallel()
	_, err := rpc.Dial("192.0.2.1:7070", rpc.ClientConfig{}, rpc.ClientDeps{Token: "dib_x"})
	require.Equal(t, "TOKEN_WITHOUT_TLS", fault.ReasonOf(err))
	conn, err := rpc.Dial("127.0.0.1:7070", rpc.ClientConfig{}, rpc.ClientDeps{Token: "dib_x"})
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}
