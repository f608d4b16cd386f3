// Package eval is the frame of `dibrain-lab eval`: it runs a suite over a folder of
// data and reports figures. A suite reads its questions, answers one at a time
// and adds up; the frame does what all suites need: limits, progress, items as
// JSON lines, latencies, memory, one JSON object at the end.
package eval

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/internal/build"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/retrieval/backend"
)

// ErrData means that the data cannot be read; the command ends with code 2.
var ErrData = errors.New("evaluation data cannot be read")

// Options of a run, as given on the command line.
type Options struct {
	Data     string // folder
	Queries  string // file instead of the suite's own
	Strategy string // "rules" or "llm"
	// Model answers where Strategy is "llm".
	Model llm.Model
	Lang  string     // "en" or "zh"
	Limit int        // questions; 0: all
	Build build.Info // of the program, for whoever reads the figures later
	// Search and RankModel are what suite tables finds tables with, as the
	// configuration has them under findata; zero values are the embedded defaults.
	Search backend.Config
	// History is a file of statements that suite tables takes as run before, as JSON
	// lines with db and sql; empty: none were.
	History   string
	RankModel string
	// Ingest runs the command line that ingests a source of suite own into a data directory.
	Ingest func(ctx context.Context, dataDir string, args []string) error
	// Out gets an Item a line; nil: none.
	Out io.Writer
	// Progress is told after each question; nil: nobody is.
	Progress func(done, total int)
	Clock    func() time.Time
}

// Item is one question and what came of it.
type Item struct {
	ID           string  `json:"id"`
	Question     string  `json:"question"`
	Prediction   any     `json:"prediction"`
	Gold         any     `json:"gold"`
	Score        float64 `json:"score"`
	Milliseconds float64 `json:"milliseconds"`
	Error        string  `json:"error,omitempty"`
	// Detail is what a suite wants to tell beyond the contract.
	Detail map[string]any `json:"detail,omitempty"`
}

// Report is the object that --json prints.
type Report struct {
	Suite     string             `json:"suite"`
	Data      string             `json:"data"`
	Strategy  string             `json:"strategy"`
	N         int                `json:"n"`
	Errors    int                `json:"errors"`
	Metrics   map[string]float64 `json:"metrics"`
	LatencyMS Latency            `json:"latency_ms"`
	Seconds   float64            `json:"seconds"`
	PeakRSSMB float64            `json:"peak_rss_mb"`
	// Version and Commit say which program made the figures; Modified that its sources
	// were not those of the commit.
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"`
	// Notes are sentences on what the figures leave out.
	Notes []string `json:"notes,omitempty"`
}

// Latency of answers, milliseconds.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

// Run is a suite that was opened on data.
type Run interface {
	// Len is the number of questions.
	Len() int
	// Answer answers question i. An error counts as wrong and as an error.
	Answer(ctx context.Context, i int) (Item, error)
	// Metrics adds up the items, and notes what they leave out.
	Metrics(items []Item) (metrics map[string]float64, notes []string)
	Close() error
}

// Suite opens data.
type Suite interface {
	Name() string
	// Open reads the data; what cannot be read wraps ErrData.
	Open(ctx context.Context, opt Options) (Run, error)
}

// Execute runs a suite. The error tells that the run did not complete; a bad
// score is no error.
func Execute(ctx context.Context, suite Suite, opt Options) (Report, error) {
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Strategy == "" {
		opt.Strategy = "rules"
	}
	start := opt.Clock()
	run, err := suite.Open(ctx, opt)
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = run.Close() }() // only temporary files
	n := run.Len()
	if opt.Limit > 0 {
		n = min(n, opt.Limit)
	}
	items, failed, err := answerAll(ctx, run, n, opt)
	if err != nil {
		return Report{}, err
	}
	metrics, notes := run.Metrics(items)
	for name, v := range metrics {
		metrics[name] = round(v)
	}
	return Report{
		Suite: suite.Name(), Data: opt.Data, Strategy: opt.Strategy, N: n, Errors: failed, Metrics: metrics, Notes: notes,
		LatencyMS: percentiles(items), Seconds: round(opt.Clock().Sub(start).Seconds()), PeakRSSMB: round(peakRSS()),
		Version: opt.Build.Version, Commit: opt.Build.Commit, Modified: opt.Build.Modified,
	}, nil
}

func answerAll(ctx context.Context, run Run, n int, opt Options) (items []Item, failed int, err error) {
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, 0, fmt.Errorf("evaluation stopped after %d of %d questions: %w", i, n, err)
		}
		item, err := answer(ctx, run, i)
		if err != nil {
			item.Error, item.Score = err.Error(), 0
			failed++
		}
		items = append(items, item)
		if opt.Out != nil {
			line, err := json.Marshal(item)
			if err != nil {
				return nil, 0, fmt.Errorf("item %s: %w", item.ID, err)
			}
			if _, err := opt.Out.Write(append(line, '\n')); err != nil {
				return nil, 0, fmt.Errorf("write items: %w", err)
			}
		}
		if opt.Progress != nil {
			opt.Progress(i+1, n)
		}
	}
	return items, failed, nil
}

// answer turns a panic of one question into its error, so that a crash is
// counted instead of ending the run.
func answer(ctx context.Context, run Run, i int) (item Item, err error) {
	defer func() {
		if p := recover(); p != nil {
			stack := make([]byte, 4096)
			err = fmt.Errorf("panic: %v\n%s", p, stack[:runtime.Stack(stack, false)])
		}
	}()
	return run.Answer(ctx, i)
}

func percentiles(items []Item) Latency {
	if len(items) == 0 {
		return Latency{}
	}
	ms := make([]float64, len(items))
	for i, it := range items {
		ms[i] = it.Milliseconds
	}
	sort.Float64s(ms)
	at := func(p float64) float64 { return round(ms[min(len(ms)-1, int(math.Ceil(p*float64(len(ms))))-1)]) }
	return Latency{P50: at(0.50), P95: at(0.95), P99: at(0.99)}
}

func round(f float64) float64 { return math.Round(f*1e4) / 1e4 }

// peakRSS is the most memory that this process held, megabytes; 0 where the
// system does not tell.
func peakRSS() float64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }() // read only
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			kb, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			if err != nil {
				return 0
			}
			return kb / 1024
		}
	}
	return 0
}

// Find returns the suite of that name.
func Find(suites []Suite, name string) (Suite, error) {
	names := make([]string, len(suites))
	for i, s := range suites {
		if s.Name() == name {
			return s, nil
		}
		names[i] = s.Name()
	}
	slices.Sort(names)
	return nil, fmt.Errorf("no suite %q: %s", name, strings.Join(names, ", "))
}
