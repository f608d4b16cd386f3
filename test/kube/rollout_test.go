//go:build linux

package kube

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	grpcmetadata "google.golang.org/grpc/metadata"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// TestARollingRestartFailsNoRequest restarts every service of a running deployment, one pod
// after another and as its Deployment says (a new pod first, or after the old one has let go
// of its files), while questions are asked without a pause: none of them fails.
//
// It takes minutes: the full run of CI has it.
func TestARollingRestartFailsNoRequest(t *testing.T) {
	if os.Getenv("DIBRAIN_TEST_ROLLOUT") == "" || os.Getenv("DIBRAIN_TEST_POSTGRES") == "" {
		t.Skip("takes minutes: DIBRAIN_TEST_ROLLOUT=1 runs it, with DIBRAIN_TEST_POSTGRES of test/servers/postgres-start")
	}
	n := newNode(t, withDatabase(t))
	for _, d := range n.o.of("Deployment") {
		replicas := *d.Spec.Replicas
		if c := targetOf(t, d); c == "fixsql" || c == "logify" {
			replicas = 2
		}
		n.schedule(d, replicas)
	}
	n.names(n.pods...)
	n.start(n.pods...)

	routers := n.serviceOf("dibrain-router")
	client, resolve := n.client(routers)
	stop := make(chan struct{})
	var asked atomic.Int64
	var mu sync.Mutex
	var slowest time.Duration
	var failures []string
	var people sync.WaitGroup
	for range 4 {
		people.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				began := time.Now()
				ctx, cancel := context.WithTimeout(grpcmetadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+n.token), 2*time.Minute)
				response, err := client.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "What was the GMV in Singapore yesterday?"}})
				cancel()
				asked.Add(1)
				mu.Lock()
				slowest = max(slowest, time.Since(began))
				switch {
				case err != nil:
					failures = append(failures, err.Error())
				case response.GetAnswer().GetOutcome().String() != "OUTCOME_ANSWERED":
					failures = append(failures, response.GetAnswer().GetOutcome().String()+": "+response.GetAnswer().GetText())
				}
				mu.Unlock()
			}
		})
	}
	more := func(by int64) { // questions that are asked and answered from now on
		from := asked.Load()
		require.Eventually(t, func() bool { return asked.Load() >= from+by }, 3*time.Minute, 10*time.Millisecond, "nobody is answered")
	}
	more(8)
	for _, d := range n.o.of("Deployment") {
		began, before := time.Now(), asked.Load()
		for _, old := range n.serviceOf(d.Metadata.Name) {
			if d.Spec.Strategy.Type == "Recreate" {
				n.restarted(old, func() { n.end(old) }, resolve)
			} else {
				n.restarted(old, func() {}, resolve)
				n.end(old)
			}
		}
		more(4)
		t.Logf("%s restarted in %s, %d questions meanwhile", d.Metadata.Name, time.Since(began).Round(100*time.Millisecond), asked.Load()-before)
	}
	close(stop)
	people.Wait()
	t.Logf("%d questions, %d failed, the slowest took %s", asked.Load(), len(failures), slowest.Round(time.Millisecond))
	require.Empty(t, failures, n.logs())
}

// withDatabase is the deployment of one that has PostgreSQL, with the demo's tables.
func withDatabase(t *testing.T) objects {
	t.Helper()
	dir := overlayWith(t, "postgres")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("source: demo\nlimits: {requests_per_second: 0}\n"), 0o600))
	file := filepath.Join(dir, "kustomization.yaml")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	text = append(text, []byte("configMapGenerator:\n  - {name: dibrain-config, behavior: replace, files: [config.yaml]}\n")...)
	require.NoError(t, os.WriteFile(file, text, 0o600))
	rendered, err := kustomize(dir)
	require.NoError(t, err)
	o, err := read(rendered)
	require.NoError(t, err)
	return o
}

// serviceOf are the pods of a headless Service that run.
func (n *node) serviceOf(name string) (pods []*pod) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.pods {
		if p.of.Metadata.Name == name && !p.gone {
			pods = append(pods, p)
		}
	}
	return pods
}

// restarted puts a new pod in the place of one, after what has to be done before. Names
// follow, as endpoints do: the one that goes is no address any more, the one that is ready is.
func (n *node) restarted(old *pod, before func(), resolve func()) {
	before()
	n.mu.Lock()
	fresh := n.schedule(old.of, 1)[0]
	fresh.gone = true // no address before it is ready
	n.mu.Unlock()
	n.start(fresh)
	n.mu.Lock()
	fresh.gone, old.gone = false, true
	n.mu.Unlock()
	n.named(resolve)
}

// named writes the names of the pods that run.
func (n *node) named(resolve func()) {
	n.mu.Lock()
	var run []*pod
	for _, p := range n.pods {
		if !p.gone {
			run = append(run, p)
		}
	}
	n.mu.Unlock()
	n.names(run...)
	if resolve != nil {
		resolve()
	}
}

// end stops a pod as a kubelet does: SIGTERM, and a kill after the grace period, which must
// not be needed. preStop is not waited for: the names are written before.
func (n *node) end(p *pod) {
	n.mu.Lock()
	p.gone = true
	n.mu.Unlock()
	n.named(nil)
	require.NoError(n.t, p.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-p.exited:
		require.Zero(n.t, p.cmd.ProcessState.ExitCode(), "%s\n%s", p.name, p.log)
	case <-time.After(time.Duration(p.of.Spec.Template.Spec.Grace) * time.Second):
		n.t.Errorf("%s had to be killed:\n%s", p.name, p.log)
	}
}

// client is a program of another team: it balances over the addresses of the routers' name.
// resolve tells it the addresses of now, as a look-up of the name does.
func (n *node) client(pods []*pod) (client routerv1.RouterServiceClient, resolve func()) {
	t := n.t
	names := manual.NewBuilderWithScheme("pods")
	state := func(pods []*pod) (s resolver.State) {
		for _, p := range pods {
			s.Endpoints = append(s.Endpoints, resolver.Endpoint{Addresses: []resolver.Address{{Addr: net.JoinHostPort(p.address, "7070")}}})
		}
		return s
	}
	names.InitialState(state(pods))
	ca, err := os.ReadFile(filepath.Join(n.dir, "secrets/dibrain-tls/ca.crt"))
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(ca))
	conn, err := grpc.NewClient("pods:///routers", grpc.WithResolvers(names),
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: roots, ServerName: "dibrain-router", MinVersion: tls.VersionTLS13})),
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"round_robin":{}}]}`), grpc.WithDefaultCallOptions(grpc.WaitForReady(true)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return routerv1.NewRouterServiceClient(conn), func() { names.UpdateState(state(n.serviceOf("dibrain-router"))) }
}
