package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/sandbox"
	"github.com/dibrain/dibrain/pkg/sandbox/remote"
	"github.com/dibrain/dibrain/services/analysis"
	analysisllm "github.com/dibrain/dibrain/services/analysis/llm"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// programs are what runs and writes the programs of analyses, and what they run with: all nil
// where that is off. There is no writer without a model.
type programs struct {
	runner      workflow.Runner
	coder       workflow.Coder
	interpreter func(context.Context) (sandbox.Interpreter, error)
}

// python makes the programs of analyses run. A machine on which a wall of the sandbox does not
// hold starts no service that is to use it.
func (a *App) python(ctx context.Context) (programs, error) {
	c, err := a.config.Analysis.Config.Complete()
	if err != nil {
		return programs{}, misconfigured(err)
	}
	var runner interface {
		workflow.Runner
		Interpreter(context.Context) (sandbox.Interpreter, error)
	}
	switch c.Python {
	case analysis.PythonSandbox:
		box, err := sandbox.Open(ctx, c.Sandbox(a.options.Program))
		if err != nil {
			return programs{}, misconfigured(fmt.Errorf("analysis.python is sandbox: %w; set it to off, or see dibrain doctor", err))
		}
		runner = here{box}
	case analysis.PythonRemote:
		if runner, err = a.remotePython(ctx, c); err != nil {
			return programs{}, misconfigured(err)
		}
	default:
		return programs{}, nil
	}
	out := programs{runner: runner, interpreter: runner.Interpreter}
	if a.model == nil {
		return out, nil
	}
	coder, err := analysisllm.New(a.model, a.config.LLM.Config.Budget(), runner.Interpreter)
	if err != nil {
		return programs{}, err
	}
	out.coder = coder
	return out, nil
}

// here is a sandbox of this machine.
type here struct{ *sandbox.Local }

// Interpreter is the Python of this machine.
func (h here) Interpreter(context.Context) (sandbox.Interpreter, error) {
	return h.Local.Interpreter(), nil
}

// claimedName is the name in the certificates of runners that are claimed: they are asked by
// their addresses, which no certificate knows.
const claimedName = "python-runner"

// serviceAccount is where a pod finds who it is in its cluster.
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

// claimLook is how often a claimed runner is looked at until it is ready.
const claimLook = 200 * time.Millisecond

// remotePython is a runner of another machine: one that is claimed for each program, where the
// cluster has such claims and a pool is named, else the one at an address.
func (a *App) remotePython(ctx context.Context, c analysis.Config) (interface {
	workflow.Runner
	Interpreter(context.Context) (sandbox.Interpreter, error)
}, error) {
	limits := c.Sandbox("").Limits
	token := secretFile(c.PythonRunnerTokenFile)
	if _, err := token(); err != nil {
		return nil, fmt.Errorf("analysis.python_runner_token_file: %w", err)
	}
	runner := func(name string) func(at string) (*remote.Client, error) {
		return func(at string) (*remote.Client, error) {
			h, err := httpsClient(c.PythonRunnerCAFile, name)
			if err != nil {
				return nil, fmt.Errorf("analysis.python_runner_ca_file: %w", err)
			}
			return remote.NewClient(at, token, h, limits)
		}
	}
	if c.PythonClaimPool != "" {
		claims, err := a.claims(ctx, c, runner(claimedName))
		if err == nil {
			return claims, nil
		}
		if !errors.Is(err, remote.ErrNoClaims) || c.PythonRunner == "" {
			return nil, fmt.Errorf("analysis.python_claim_pool: %w", err)
		}
		a.options.Logger.InfoContext(ctx, "analysis.python_runner is asked, since there are no claims", "reason", err)
	}
	if u, err := url.Parse(c.PythonRunner); err == nil && u.Scheme == "http" {
		if err := auth.CheckPlaintext(ctx, net.JoinHostPort(u.Hostname(), "0"), "analysis.python_runner", false, a.config.Auth.InsecurePlaintext); err != nil {
			return nil, err
		}
	}
	client, err := runner("")(c.PythonRunner)
	if err != nil {
		return nil, fmt.Errorf("analysis.python_runner: %w", err)
	}
	return client, nil
}

// claims are those of the cluster that this process is a pod of.
func (a *App) claims(ctx context.Context, c analysis.Config, runner func(at string) (*remote.Client, error)) (*remote.Claims, error) {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, fmt.Errorf("%w: this process is no pod", remote.ErrNoClaims)
	}
	h, err := httpsClient(serviceAccount+"/ca.crt", "")
	if err != nil {
		return nil, fmt.Errorf("reach the API server: %w", err)
	}
	h.Timeout = 10 * time.Second
	namespace := c.PythonClaimNamespace
	if namespace == "" {
		text, err := os.ReadFile(serviceAccount + "/namespace")
		if err != nil {
			return nil, fmt.Errorf("set analysis.python_claim_namespace: %w", err)
		}
		namespace = strings.TrimSpace(string(text))
	}
	scheme := "https"
	if a.config.Auth.InsecurePlaintext {
		scheme = "http"
	}
	return remote.NewClaims(ctx, remote.Cluster{
		URL: "https://" + net.JoinHostPort(host, port), Token: secretFile(serviceAccount + "/token"), HTTP: h,
	}, remote.ClaimConfig{
		Namespace: namespace, Pool: c.PythonClaimPool, Scheme: scheme, Port: c.PythonClaimPort, Ready: c.PythonClaimReady, Look: claimLook,
		Clock: a.options.Clock, Log: a.options.Logger,
	}, runner)
}

// secretFile reads a secret each time, as it may be changed.
func secretFile(path string) func() (string, error) {
	return func() (string, error) {
		text, err := os.ReadFile(path) //nolint:gosec // the operator names the file
		if err != nil {
			return "", err
		}
		if token := strings.TrimSpace(string(text)); token != "" {
			return token, nil
		}
		return "", fmt.Errorf("%s is empty", path)
	}
}

// httpsClient is a client that trusts the authorities of a file, or those of this machine, and
// follows nobody elsewhere. name is that of the other side's certificate, where it is not its
// address.
func httpsClient(caFile, name string) (*http.Client, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: name}
	if caFile != "" {
		text, err := os.ReadFile(caFile) //nolint:gosec // the operator names the file
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificate", caFile)
		}
	}
	return &http.Client{
		Transport:     &http.Transport{TLSClientConfig: config, Proxy: nil, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: 10 * time.Second},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}
