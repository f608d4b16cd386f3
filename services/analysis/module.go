package analysis

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sandbox"
	"github.com/dibrain/dibrain/services/analysis/agent"
	"github.com/dibrain/dibrain/services/analysis/deliver"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// Config of the service. The zero value of a field means its default.
type Config struct {
	// DefaultSource is asked where a request names none.
	DefaultSource string `koanf:"default_source"`
	// Review says whether a plan waits for a person where a request does not: "wait"
	// or "none".
	Review string `koanf:"review"`
	// Python says what runs steps in Python: "off", "sandbox" for a sandbox of this machine,
	// which refuses to start where one of its walls does not hold, or "remote" for runners
	// of other machines ("dibrain python-runner").
	Python string `koanf:"python"`
	// PythonRunner is the address of a runner, such as https://python-runner:7443, and
	// PythonRunnerTokenFile holds the token that it takes. PythonRunnerCAFile is a PEM file of
	// its authorities; empty: those of this machine.
	PythonRunner          string `koanf:"python_runner"`
	PythonRunnerTokenFile string `koanf:"python_runner_token_file"`
	PythonRunnerCAFile    string `koanf:"python_runner_ca_file"`
	// PythonClaimPool is a SandboxWarmPool (or, of v1alpha1, SandboxTemplate) of
	// kubernetes-sigs/agent-sandbox of which a runner is claimed for each program, in the
	// namespace PythonClaimNamespace, on the port PythonClaimPort. Where the cluster
	// has no SandboxClaims, PythonRunner is asked. Empty: it is asked at once.
	PythonClaimPool      string `koanf:"python_claim_pool"`
	PythonClaimNamespace string `koanf:"python_claim_namespace"`
	PythonClaimPort      int    `koanf:"python_claim_port"`
	// PythonClaimReady bounds the time until a claimed runner is ready.
	PythonClaimReady time.Duration `koanf:"python_claim_ready"`
	// PythonInterpreter is the interpreter of the sandbox; empty: python3 of the PATH, or
	// where it usually lies.
	PythonInterpreter string `koanf:"python_interpreter"`
	// PythonTries is how often the program of a step is written and run, at most 3.
	PythonTries int `koanf:"python_tries"`
	// PythonFallback says what becomes of a step whose tries are used up: "on" tells it as
	// not computed and goes on, "off" ends the analysis.
	PythonFallback string `koanf:"python_fallback"`
	// PythonTimeout bounds one run of a program, PythonMemoryMB its memory in MiB, and
	// PythonRunning the programs that run at a time.
	PythonTimeout  time.Duration `koanf:"python_timeout"`
	PythonMemoryMB int           `koanf:"python_memory_mb"`
	PythonRunning  int           `koanf:"python_running"`
	// MaxRows bounds the rows of a step's table that are kept for the report.
	MaxRows int `koanf:"max_rows"`
	// MaxInputRows and MaxInputBytes bound the rows of an earlier step that a computation, in
	// this service or in Python, reads; the bytes are those of the pages on the wire.
	MaxInputRows  int `koanf:"max_input_rows"`
	MaxInputBytes int `koanf:"max_input_bytes"`
	// MaxStateBytes bounds what is stored of one analysis.
	MaxStateBytes int `koanf:"max_state_bytes"`
	// MaxRunning bounds the analyses at work in one process, MaxAnalyses those that are
	// kept of one person.
	MaxRunning  int `koanf:"max_running"`
	MaxAnalyses int `koanf:"max_analyses"`
	// MaxDuration bounds one stretch of work, between two words of a person; StepTimeout
	// one call of another service.
	MaxDuration time.Duration `koanf:"max_duration"`
	StepTimeout time.Duration `koanf:"step_timeout"`
	// EstimateTimeout bounds the estimate of what a plan would read, before it is shown;
	// what is not known by then is told as unknown.
	EstimateTimeout time.Duration `koanf:"estimate_timeout"`
	// Lease is how long a process is taken to live after its last sign, Poll how often
	// it gives one and hears of a cancellation in another process.
	Lease time.Duration `koanf:"lease"`
	Poll  time.Duration `koanf:"poll"`
	// Look is how often it is asked whether an analysis at work in another process has come
	// on, for whoever follows it.
	Look time.Duration `koanf:"look"`
	// MaxArtifactBytes bounds a file that GetArtifact returns, and those that a program of
	// a step leaves together.
	MaxArtifactBytes int `koanf:"max_artifact_bytes"`
	// WatchTargetsFile is a YAML file with the webhooks and folders that results of watches
	// may go to; see docs/watches.md. Empty: they are kept and go nowhere.
	WatchTargetsFile string `koanf:"watch_targets_file"`
	// AgentsFile is a YAML file with agents: documents, examples and instructions that an
	// analysis may name; see docs/analysis.md. Empty: there are none.
	AgentsFile string `koanf:"agents_file"`
	// MaxWatches bounds the watches of one person, WatchRunning those that run at a time in
	// one process, and WatchInterval the time between two ticks of a schedule from below.
	MaxWatches    int           `koanf:"max_watches"`
	WatchRunning  int           `koanf:"watch_running"`
	WatchInterval time.Duration `koanf:"watch_interval"`
	// WatchGrant is how long a watch may run as its owner before they have to resume it.
	WatchGrant time.Duration `koanf:"watch_grant"`
	// WatchLook is how often watches that are due are looked for, WatchRecheck how often
	// data that has not arrived, and WatchTimeout bounds one call of a webhook.
	WatchLook    time.Duration `koanf:"watch_look"`
	WatchRecheck time.Duration `koanf:"watch_recheck"`
	WatchTimeout time.Duration `koanf:"watch_timeout"`
}

// Values of Review, Python and PythonFallback.
const (
	ReviewWait = "wait"
	ReviewNone = "none"
	PythonOff  = "off"

	PythonSandbox = "sandbox"
	PythonRemote  = "remote"
	FallbackOn    = "on"
	FallbackOff   = "off"
)

// Complete fills in the defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	switch c.Review {
	case "":
		c.Review = ReviewWait
	case ReviewWait, ReviewNone:
	default:
		return c, fmt.Errorf("analysis.review is %q: use wait or none", c.Review)
	}
	switch c.Python {
	case "":
		c.Python = PythonOff
	case PythonOff, PythonSandbox:
	case PythonRemote:
		if c.PythonRunner == "" && c.PythonClaimPool == "" {
			return c, errors.New("analysis.python is remote: set analysis.python_runner or analysis.python_claim_pool")
		}
		if c.PythonRunnerTokenFile == "" {
			return c, errors.New("analysis.python is remote: set analysis.python_runner_token_file, the token that the runner takes")
		}
	default:
		return c, fmt.Errorf("analysis.python is %q: use off, sandbox or remote", c.Python)
	}
	switch c.PythonFallback {
	case "":
		c.PythonFallback = FallbackOn
	case FallbackOn, FallbackOff:
	default:
		return c, fmt.Errorf("analysis.python_fallback is %q: use on or off", c.PythonFallback)
	}
	for _, limit := range []struct {
		key       string
		value     *int
		otherwise int
	}{
		{"max_rows", &c.MaxRows, 500}, {"max_input_rows", &c.MaxInputRows, 100_000}, {"max_input_bytes", &c.MaxInputBytes, 32 << 20},
		{"max_state_bytes", &c.MaxStateBytes, 32 << 20}, {"max_running", &c.MaxRunning, 20}, {"max_analyses", &c.MaxAnalyses, 200},
		{"max_artifact_bytes", &c.MaxArtifactBytes, 8 << 20}, {"max_watches", &c.MaxWatches, 100}, {"watch_running", &c.WatchRunning, 2},
		{"python_tries", &c.PythonTries, workflow.MaxPythonTries}, {"python_memory_mb", &c.PythonMemoryMB, 2048}, {"python_running", &c.PythonRunning, 2},
		{"python_claim_port", &c.PythonClaimPort, 7443},
	} {
		if *limit.value == 0 {
			*limit.value = limit.otherwise
		}
		if *limit.value < 1 {
			return c, fmt.Errorf("analysis.%s is %d: it has to be at least 1", limit.key, *limit.value)
		}
	}
	for _, limit := range []struct {
		key       string
		value     *time.Duration
		otherwise time.Duration
	}{
		{"max_duration", &c.MaxDuration, time.Hour}, {"step_timeout", &c.StepTimeout, 10 * time.Minute},
		{"estimate_timeout", &c.EstimateTimeout, 30 * time.Second},
		{"python_claim_ready", &c.PythonClaimReady, 30 * time.Second}, {"python_timeout", &c.PythonTimeout, time.Minute}, {"lease", &c.Lease, 10 * time.Second}, {"poll", &c.Poll, 500 * time.Millisecond},
		{"look", &c.Look, 50 * time.Millisecond},
		{"watch_interval", &c.WatchInterval, 15 * time.Minute}, {"watch_grant", &c.WatchGrant, 90 * 24 * time.Hour}, {"watch_look", &c.WatchLook, 15 * time.Second},
		{"watch_recheck", &c.WatchRecheck, 5 * time.Minute}, {"watch_timeout", &c.WatchTimeout, 15 * time.Second},
	} {
		if *limit.value == 0 {
			*limit.value = limit.otherwise
		}
		if *limit.value < 0 {
			return c, fmt.Errorf("analysis.%s is %s: it has to be above zero", limit.key, *limit.value)
		}
	}
	if c.PythonTries > workflow.MaxPythonTries {
		return c, fmt.Errorf("analysis.python_tries is %d: the most is %d", c.PythonTries, workflow.MaxPythonTries)
	}
	if _, err := c.Sandbox("").Limits.Complete(); err != nil {
		return c, fmt.Errorf("analysis.python_timeout or analysis.python_memory_mb: %w", err)
	}
	if c.Lease < 2*c.Poll {
		return c, fmt.Errorf("analysis.lease is %s: it has to be at least twice analysis.poll, %s", c.Lease, c.Poll)
	}
	return c, nil
}

// Sandbox is the configuration of the sandbox, of a process whose program is given.
func (c Config) Sandbox(program string) sandbox.Config {
	return sandbox.Config{
		Program: program, Python: c.PythonInterpreter, MaxRunning: c.PythonRunning,
		Limits: sandbox.Limits{Wall: c.PythonTimeout, CPU: c.PythonTimeout, Memory: int64(c.PythonMemoryMB) << 20},
	}
}

// Deps are what the service works with.
type Deps struct {
	FindData findatav1.FindDataServiceClient
	Text2SQL text2sqlv1.Text2SQLServiceClient
	ChatBI   chatbiv1.ChatBIServiceClient
	// Store keeps the analyses; the service closes it.
	Store Store
	// Python runs the programs of steps where analysis.python is sandbox; Coder writes
	// them, and is nil where there is no model.
	Python workflow.Runner
	Coder  workflow.Coder
	// Interpreter says what the programs run with; nil: it is not known.
	Interpreter func(context.Context) (sandbox.Interpreter, error)
	// Planner makes the plans that rules do not make; nil where there is no model.
	Planner workflow.PlanMaker
	// Agents are those that an analysis may name; nil: none.
	Agents *agent.Agents
	// Targets are where results of watches may go; nil: nowhere.
	Targets *deliver.Targets
	Clock   func() time.Time
	IDs     func(prefix string) string
	Log     *slog.Logger
	// Audit has a line for each stretch of work on an analysis or a watch; nil: none is kept.
	Audit *slog.Logger
}

func (d Deps) complete() (Deps, error) {
	if d.FindData == nil || d.Text2SQL == nil || d.ChatBI == nil {
		return d, errors.New("analysis needs clients of find data, text to SQL and chat BI")
	}
	if d.Store == nil {
		return d, errors.New("analysis needs a store")
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	if d.IDs == nil {
		d.IDs = func(prefix string) string { return run.NewID(prefix, nil) }
	}
	if d.Log == nil {
		d.Log = slog.Default()
	}
	if d.Agents == nil {
		d.Agents = &agent.Agents{}
	}
	if d.Targets == nil {
		d.Targets = &deliver.Targets{}
	}
	return d, nil
}
