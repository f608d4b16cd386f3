package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/sandbox"
)

// claimVersions are the API versions of SandboxClaims that are known, newest first. They
// differ in what a claim names: a pool of warm sandboxes, or a template.
var claimVersions = []string{"v1beta1", "v1alpha1"}

const (
	claimGroup = "extensions.agents.x-k8s.io"
	// maxObject bounds an object of the API server.
	maxObject = 1 << 20
	// endWait is how long the end of a claim may take after its program, however that ended.
	endWait = 10 * time.Second
)

// Cluster is an API server as a pod reaches it.
type Cluster struct {
	URL   string
	Token func() (string, error)
	HTTP  *http.Client
}

// ClaimConfig says what is claimed.
type ClaimConfig struct {
	Namespace string
	// Pool is the SandboxWarmPool (v1beta1) or the SandboxTemplate (v1alpha1) of runners.
	Pool string
	// Scheme and Port are those that a runner listens on.
	Scheme string
	Port   int
	// Ready bounds the time until a claimed sandbox is ready, Look is how often it is looked at.
	Ready time.Duration
	Look  time.Duration
	Clock func() time.Time
	Log   *slog.Logger
}

// Claims run each program on a runner that is claimed for it. They may be used concurrently.
type Claims struct {
	cluster Cluster
	config  ClaimConfig
	version string
	runner  func(at string) (*Client, error)
}

// ErrNoClaims says that the cluster has no SandboxClaims.
var ErrNoClaims = errors.New("the cluster has no SandboxClaims (" + claimGroup + ")")

// NewClaims asks the API server for the version of SandboxClaims that it serves; runner makes a
// client of one. The error is ErrNoClaims where they are not installed.
func NewClaims(ctx context.Context, k Cluster, c ClaimConfig, runner func(at string) (*Client, error)) (*Claims, error) {
	for _, version := range claimVersions {
		var found struct {
			Resources []struct {
				Name string `json:"name"`
			} `json:"resources"`
		}
		code, err := k.call(ctx, http.MethodGet, "/apis/"+claimGroup+"/"+version, nil, &found)
		if err != nil {
			return nil, err
		}
		if code == http.StatusNotFound {
			continue
		}
		for _, r := range found.Resources {
			if r.Name == "sandboxclaims" {
				return &Claims{cluster: k, config: c, version: version, runner: runner}, nil
			}
		}
	}
	return nil, ErrNoClaims
}

// Run claims a runner, runs the program on it and lets go of it, whatever came of it. A claim
// that nobody ends, as its process died, ends at its own time.
func (c *Claims) Run(ctx context.Context, j sandbox.Job) (sandbox.Result, error) {
	var got sandbox.Result
	err := c.with(ctx, func(runner *Client) (err error) {
		got, err = runner.Run(ctx, j)
		return err
	})
	return got, err
}

// Interpreter claims a runner to ask what Python it has.
func (c *Claims) Interpreter(ctx context.Context) (sandbox.Interpreter, error) {
	var got sandbox.Interpreter
	err := c.with(ctx, func(runner *Client) (err error) {
		got, err = runner.Interpreter(ctx)
		return err
	})
	return got, err
}

func (c *Claims) with(ctx context.Context, do func(*Client) error) (err error) {
	away := func(err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return &sandbox.AwayError{Err: err}
	}
	name, err := c.claim(ctx)
	if err != nil {
		return away(err)
	}
	defer func() {
		// A claim that cannot be let go of ends at its own time; what the program did is no less.
		if left := c.end(context.WithoutCancel(ctx), name); left != nil {
			c.config.Log.WarnContext(ctx, "a sandbox was not let go of", "claim", name, "error", left)
		}
	}()
	ip, err := c.await(ctx, name)
	if err != nil {
		return away(err)
	}
	runner, err := c.runner(c.config.Scheme + "://" + net.JoinHostPort(ip, strconv.Itoa(c.config.Port)))
	if err != nil {
		return err
	}
	return do(runner)
}

func (c *Claims) path(name string) string {
	p := "/apis/" + claimGroup + "/" + c.version + "/namespaces/" + url.PathEscape(c.config.Namespace) + "/sandboxclaims"
	if name != "" {
		p += "/" + url.PathEscape(name)
	}
	return p
}

// claim makes one and returns its name. It is told when to end by itself: everything that a
// run may take, and once more.
func (c *Claims) claim(ctx context.Context) (string, error) {
	one, err := c.runner(c.config.Scheme + "://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(c.config.Port)))
	if err != nil {
		return "", err
	}
	end := c.config.Clock().Add(2 * (c.config.Ready + 2*one.limits.Wall + slack + endWait)).UTC()
	spec := map[string]any{"lifecycle": map[string]any{"shutdownTime": end.Format(time.RFC3339), "shutdownPolicy": "Delete"}}
	if c.version == "v1alpha1" {
		spec["sandboxTemplateRef"] = map[string]any{"name": c.config.Pool}
	} else {
		spec["warmPoolRef"] = map[string]any{"name": c.config.Pool}
	}
	var made object
	code, err := c.cluster.call(ctx, http.MethodPost, c.path(""), map[string]any{
		"apiVersion": claimGroup + "/" + c.version, "kind": "SandboxClaim",
		"metadata": map[string]any{"generateName": "dibrain-python-", "namespace": c.config.Namespace, "labels": map[string]any{"app.kubernetes.io/managed-by": "dibrain"}},
		"spec":     spec,
	}, &made)
	if err != nil {
		return "", err
	}
	if code != http.StatusCreated || made.Metadata.Name == "" {
		return "", fmt.Errorf("claim a sandbox of %q in %q: the API server answers %d: %s", c.config.Pool, c.config.Namespace, code, made.Message)
	}
	return made.Metadata.Name, nil
}

// object is what is read of a claim, or of the API server's refusal.
type object struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Status json.RawMessage `json:"status"` // of a refusal it is a word
	// Message is that of a refusal.
	Message string `json:"message"`
}

// claimStatus is the state of a claim.
type claimStatus struct {
	Conditions []struct {
		Type    string `json:"type"`
		Status  string `json:"status"`
		Reason  string `json:"reason"`
		Message string `json:"message"`
	} `json:"conditions"`
	Sandbox struct {
		Name   string   `json:"name"`
		PodIPs []string `json:"podIPs"`
	} `json:"sandbox"`
}

// await returns the address of a claim's pod once it is ready.
func (c *Claims) await(ctx context.Context, name string) (string, error) {
	last := "nothing is said of it"
	ctx, done := context.WithTimeout(ctx, c.config.Ready)
	defer done()
	tick := time.NewTicker(c.config.Look)
	defer tick.Stop()
	for {
		var o object
		code, err := c.cluster.call(ctx, http.MethodGet, c.path(name), nil, &o)
		if err != nil && ctx.Err() == nil {
			return "", err
		}
		if err == nil && code != http.StatusOK {
			return "", fmt.Errorf("look at the sandbox %s: the API server answers %d: %s", name, code, o.Message)
		}
		var s claimStatus
		if err == nil && len(o.Status) > 0 {
			if err := json.Unmarshal(o.Status, &s); err != nil {
				return "", fmt.Errorf("look at the sandbox %s: %w", name, err)
			}
		}
		for _, condition := range s.Conditions {
			if condition.Type != "Ready" {
				continue
			}
			last = strings.TrimSpace(condition.Reason + " " + condition.Message)
			if condition.Status == "True" && len(s.Sandbox.PodIPs) > 0 && net.ParseIP(s.Sandbox.PodIPs[0]) != nil {
				return s.Sandbox.PodIPs[0], nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			if cause := context.Cause(ctx); !errors.Is(cause, context.DeadlineExceeded) {
				return "", cause
			}
			return "", fmt.Errorf("the sandbox %s was not ready within %s (analysis.python_claim_ready): %s", name, c.config.Ready, last)
		}
	}
}

// end lets go of a claim.
func (c *Claims) end(ctx context.Context, name string) error {
	ctx, done := context.WithTimeout(ctx, endWait)
	defer done()
	var o object
	code, err := c.cluster.call(ctx, http.MethodDelete, c.path(name), nil, &o)
	if err != nil {
		return err
	}
	if code >= http.StatusMultipleChoices && code != http.StatusNotFound {
		return fmt.Errorf("let go of the sandbox %s: the API server answers %d: %s", name, code, o.Message)
	}
	return nil
}

// call asks the API server once.
func (k Cluster) call(ctx context.Context, method, path string, body, into any) (int, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return 0, fmt.Errorf("ask the API server: %w", err)
		}
	}
	token, err := k.Token()
	if err != nil {
		return 0, fmt.Errorf("read the token of the service account: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(k.URL, "/")+path, bytes.NewReader(text))
	if err != nil {
		return 0, fmt.Errorf("ask the API server: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := k.HTTP.Do(r)
	if err != nil {
		return 0, fmt.Errorf("ask the API server: %w", err)
	}
	defer func() { _ = answer.Body.Close() }() // only read
	got, err := io.ReadAll(io.LimitReader(answer.Body, maxObject+1))
	if err != nil || len(got) > maxObject {
		return 0, errors.Join(fmt.Errorf("read the API server's answer of %d bytes", len(got)), err)
	}
	if err := json.Unmarshal(got, into); err != nil && answer.StatusCode < http.StatusMultipleChoices {
		return 0, fmt.Errorf("read the API server's answer: %w", err)
	}
	return answer.StatusCode, nil
}
