package analysis

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/run"
)

// Config of the service. The zero value of a field means its default.
type Config struct {
	// DefaultSource is asked where a request names none.
	DefaultSource string `koanf:"default_source"`
	// Review says whether a plan waits for a person where a request does not: "wait"
	// or "none".
	Review string `koanf:"review"`
	// Python says what runs steps in Python: "off", the only value that is served now.
	Python string `koanf:"python"`
	// MaxRows bounds the rows of a step's table that are kept for the report.
	MaxRows int `koanf:"max_rows"`
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
	// it gives one, and how often another process's analysis is looked at.
	Lease time.Duration `koanf:"lease"`
	Poll  time.Duration `koanf:"poll"`
}

// Values of Review and Python.
const (
	ReviewWait = "wait"
	ReviewNone = "none"
	PythonOff  = "off"
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
	case PythonOff:
	default:
		return c, fmt.Errorf("analysis.python is %q: off is the only value that is served now; no code is run", c.Python)
	}
	for _, limit := range []struct {
		key       string
		value     *int
		otherwise int
	}{
		{"max_rows", &c.MaxRows, 500}, {"max_state_bytes", &c.MaxStateBytes, 32 << 20}, {"max_running", &c.MaxRunning, 20}, {"max_analyses", &c.MaxAnalyses, 200},
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
		{"lease", &c.Lease, 10 * time.Second}, {"poll", &c.Poll, 500 * time.Millisecond},
	} {
		if *limit.value == 0 {
			*limit.value = limit.otherwise
		}
		if *limit.value < 0 {
			return c, fmt.Errorf("analysis.%s is %s: it has to be above zero", limit.key, *limit.value)
		}
	}
	if c.Lease < 2*c.Poll {
		return c, fmt.Errorf("analysis.lease is %s: it has to be at least twice analysis.poll, %s", c.Lease, c.Poll)
	}
	return c, nil
}

// Deps are what the service works with.
type Deps struct {
	FindData findatav1.FindDataServiceClient
	Text2SQL text2sqlv1.Text2SQLServiceClient
	ChatBI   chatbiv1.ChatBIServiceClient
	// Store keeps the analyses; the service closes it.
	Store Store
	Clock func() time.Time
	IDs   func(prefix string) string
	Log   *slog.Logger
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
	return d, nil
}
