package logify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/services/logify/backend"
	"github.com/dibrain/dibrain/services/logify/guard"
	"github.com/dibrain/dibrain/services/logify/model"
	"github.com/dibrain/dibrain/services/logify/rules"
)

// Config of the service. The zero value of a field means its default.
type Config struct {
	// Strategy of queries where a request does not choose: "rules", or "llm" for a model
	// whose queries are checked, with the rules where it fails.
	Strategy string `koanf:"strategy"`
	// Address of the Loki server whose logs are searched, http(s)://host:port. Empty:
	// there is none.
	LokiURL string `koanf:"loki_url"`
	// Tenant that Loki is asked for, X-Scope-OrgID; {principal} stands for who asks.
	// Empty: none is sent. A rule of the stream policy may name another.
	Tenant string `koanf:"tenant"`
	// File with the bearer token for Loki, read before each request. Empty: none.
	TokenFile string `koanf:"token_file"`
	// Longest time of one request to Loki.
	Timeout time.Duration `koanf:"timeout"`
	// After how many requests in a row without an answer Loki is left alone.
	Failures int `koanf:"failures"`
	// How long it is left alone before it is tried again.
	ProbeAfter time.Duration `koanf:"probe_after"`
	// Log files that are searched instead, as patterns, where there is no Loki.
	Files []string `koanf:"files"`
	// YAML file that says who sees which streams; see docs/logs.md. Empty: everybody
	// sees all streams of the tenant.
	PolicyFile string `koanf:"policy_file"`
	// YAML file with masks of secrets in lines, beside those of the product.
	MasksFile string `koanf:"masks_file"`
	// Where a question says nothing of time, how far back is looked.
	DefaultRange time.Duration `koanf:"default_range"`
	// Longest time that one query may look back.
	MaxRange time.Duration `koanf:"max_range"`
	// Most lines that an answer has.
	MaxLines int `koanf:"max_lines"`
	// Most lines that are read of files for one query.
	MaxLinesRead int `koanf:"max_lines_read"`
	// Most recent lines that are read to learn what programs write.
	SampleLines int `koanf:"sample_lines"`
	// Most series of a result.
	MaxSeries int `koanf:"max_series"`
	// Most times at which one query computes a metric.
	MaxSteps int `koanf:"max_steps"`
	// Most numbers of a result, all series and times together.
	MaxPoints int `koanf:"max_points"`
	// Most bytes of one answer of Loki, and of all log files together.
	MaxBytes int64 `koanf:"max_bytes"`
	// Most labels that are known, and most values of one.
	MaxLabels int `koanf:"max_labels"`
	MaxValues int `koanf:"max_values"`
	// How long labels and forms of lines are kept before they are asked for again.
	KnownFor time.Duration `koanf:"known_for"`
	// Most scopes (tenant and streams) whose labels are kept.
	MaxScopes int `koanf:"max_scopes"`
}

// Strategies.
const (
	StrategyRules = "rules"
	StrategyLLM   = "llm"
)

// Complete fills in the defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	switch c.Strategy {
	case "":
		c.Strategy = StrategyRules
	case StrategyRules, StrategyLLM:
	default:
		return c, fmt.Errorf("logify.strategy is %q: use rules or llm", c.Strategy)
	}
	for _, limit := range []struct {
		value     *int
		otherwise int
		key       string
	}{
		{&c.Failures, 3, "failures"}, {&c.MaxLines, 5000, "max_lines"}, {&c.MaxLinesRead, 1_000_000, "max_lines_read"}, {&c.SampleLines, 5000, "sample_lines"},
		{&c.MaxSeries, 5000, "max_series"}, {&c.MaxSteps, 1500, "max_steps"}, {&c.MaxPoints, 20_000, "max_points"}, {&c.MaxLabels, 100, "max_labels"}, {&c.MaxValues, 2000, "max_values"}, {&c.MaxScopes, 200, "max_scopes"},
	} {
		if *limit.value == 0 {
			*limit.value = limit.otherwise
		}
		if *limit.value < 1 {
			return c, fmt.Errorf("logify.%s is %d: it has to be at least 1", limit.key, *limit.value)
		}
	}
	for _, limit := range []struct {
		value     *time.Duration
		otherwise time.Duration
		key       string
	}{
		{&c.Timeout, 30 * time.Second, "timeout"}, {&c.ProbeAfter, 5 * time.Second, "probe_after"}, {&c.DefaultRange, time.Hour, "default_range"}, {&c.MaxRange, 32 * 24 * time.Hour, "max_range"},
		{&c.KnownFor, 5 * time.Minute, "known_for"},
	} {
		if *limit.value == 0 {
			*limit.value = limit.otherwise
		}
		if *limit.value < 0 {
			return c, fmt.Errorf("logify.%s is %s: it has to be above zero", limit.key, *limit.value)
		}
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = 256 << 20
	}
	if c.LokiURL != "" && len(c.Files) > 0 {
		return c, errors.New("logify.loki_url and logify.files exclude each other: give one")
	}
	return c, nil
}

// Deps are what the service works with.
type Deps struct {
	// Model writes queries with strategy llm; nil: the rules do, whatever is configured,
	// and requests that choose it are refused.
	Model       llm.Model
	ModelBudget budget.Limits

	Clock func() time.Time
	Log   *slog.Logger
	// Meter measures what Loki is asked; nil: nobody does.
	Meter *meter.Set
}

// source is where logs come from: backend.Loki or backend.Files.
type source interface {
	Labels(ctx context.Context, scope backend.Scope, now time.Time) ([]backend.Label, error)
	Sample(ctx context.Context, scope backend.Scope, labels []backend.Label, now time.Time) ([]logql.Entry, error)
	Query(ctx context.Context, scope backend.Scope, e logql.Expr, w logql.Window) (*logql.Output, error)
}

// New returns the service. Files of the configuration are read here, Loki is asked
// when the first person asks.
func New(config Config, deps Deps) (*Service, error) {
	config, err := config.Complete()
	if err != nil {
		return nil, err
	}
	if deps.Clock == nil {
		deps.Clock = time.Now
	}
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{config: config, deps: deps}
	if s.rules, err = rules.New(rules.Config{Range: config.DefaultRange}); err != nil {
		return nil, err
	}
	if deps.Model != nil { // a request may choose it, whatever is configured
		if s.model, err = model.New(model.Config{Range: config.DefaultRange, MaxRange: config.MaxRange}, deps.Model, s.rules); err != nil {
			return nil, err
		}
	}
	if s.source, err = config.open(deps); err != nil {
		return nil, err
	}
	if config.PolicyFile != "" {
		if s.policyFile, err = guard.OpenFile(config.PolicyFile, guard.ParsePolicy, deps.Clock); err != nil {
			return nil, fmt.Errorf("logify.policy_file: %w", err)
		}
	}
	if s.ownMasks, err = guard.NewMasks(nil); err != nil {
		return nil, err
	}
	if config.MasksFile != "" {
		if s.masksFile, err = guard.OpenFile(config.MasksFile, guard.NewMasks, deps.Clock); err != nil {
			return nil, fmt.Errorf("logify.masks_file: %w", err)
		}
	}
	s.known = newKnowledge(s, config)
	return s, nil
}

// open returns where logs come from; nil: nowhere.
func (c Config) open(deps Deps) (source, error) {
	limits := backend.Limits{Lines: c.SampleLines, Series: c.MaxSeries, Points: c.MaxPoints, Bytes: c.MaxBytes, Labels: c.MaxLabels, Values: c.MaxValues}
	switch {
	case c.LokiURL != "":
		loki := backend.LokiConfig{URL: c.LokiURL, Timeout: c.Timeout, Limits: limits, Meter: deps.Meter, Failures: c.Failures, Pause: c.ProbeAfter, Clock: deps.Clock}
		if c.TokenFile != "" {
			loki.Token = func() (string, error) {
				text, err := os.ReadFile(c.TokenFile)
				return strings.TrimSpace(string(text)), err
			}
		}
		return backend.NewLoki(loki)
	case len(c.Files) > 0:
		limits.Lines = c.MaxLinesRead
		return backend.NewFiles(c.Files, limits)
	}
	return nil, nil //nolint:nilnil // there are no logs, which calls say
}
