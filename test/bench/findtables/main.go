// Command findtables measures finding among many tables, on a warehouse that it
// makes up itself:
//
//	go run ./test/bench/findtables -tables 50000
//
// It prints how long the ingest of the tables and the index take, how long a fresh
// process needs from opening the source to the first answer, the memory of both,
// and the times of searches and of whole discoveries, one at a time. Each phase
// runs in a process of its own. Seconds of the processor are told beside those of
// the clock: on a machine that does other things as well, they say more.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/ingest/jsonl"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/findata"
)

const (
	sourceName = "wh"
	warmUp     = 50 // questions asked before times count
)

type options struct {
	tables, columns, questions int
	seed                       uint64
	dir, phase                 string
}

// figures are what a phase prints for the one that started it.
type figures map[string]float64

func main() {
	var o options
	flag.IntVar(&o.tables, "tables", 50_000, "number of tables")
	flag.IntVar(&o.columns, "columns", 16, "columns of a table, on average")
	flag.IntVar(&o.questions, "questions", 1_000, "number of questions")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the made warehouse")
	flag.StringVar(&o.dir, "dir", "", "folder to work in (default: a temporary one)")
	flag.StringVar(&o.phase, "phase", "", "ingest or ask: one phase alone, in -dir")
	flag.Parse()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(app.GCPercent) // as a server does
	}
	if err := measure(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, o options) error {
	var f figures
	var err error
	switch o.phase {
	case "ingest":
		f, err = ingestPhase(ctx, o)
	case "ask":
		f, err = askPhase(ctx, o)
	default:
		return all(ctx, o)
	}
	if err != nil {
		return err
	}
	f["rss_peak_mb"], f["cpu_s"] = peakMB(), cpuSeconds()
	return json.NewEncoder(os.Stdout).Encode(f)
}

// all runs the phases one after another and prints their figures.
func all(ctx context.Context, o options) error {
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "findtables-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }() // the figures are printed already
		o.dir = dir
	}
	if err := generate(filepath.Join(o.dir, "tables.jsonl"), o.tables, o.columns, o.seed); err != nil {
		return err
	}
	fmt.Printf("tables %d, columns %d, questions %d, seed %d\n", o.tables, o.columns, o.questions, o.seed)
	for _, phase := range []string{"ingest", "ask"} {
		child := exec.CommandContext(ctx, os.Args[0], "-phase", phase, "-dir", o.dir, "-tables", strconv.Itoa(o.tables),
			"-questions", strconv.Itoa(o.questions), "-seed", strconv.FormatUint(o.seed, 10))
		child.Stderr = os.Stderr
		out, err := child.Output()
		if err != nil {
			return fmt.Errorf("phase %s: %w", phase, err)
		}
		var f figures
		if err := json.Unmarshal(out, &f); err != nil {
			return err
		}
		names := make([]string, 0, len(f))
		for name := range f {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			fmt.Printf("%-7s %-22s %10.2f\n", phase, name, f[name])
		}
	}
	return nil
}

// ingestPhase reads the tables into a source and indexes it, as `dibrain ingest
// jsonl` and a server that is told of it do.
func ingestPhase(ctx context.Context, o options) (figures, error) {
	store, err := source.Open(o.dir)
	if err != nil {
		return nil, err
	}
	started := time.Now()
	if _, err := jsonl.Ingest(ctx, store, sourceName, filepath.Join(o.dir, "tables.jsonl"), ingest.Options{}); err != nil {
		return nil, err
	}
	read := time.Since(started)
	s, err := serve(store, o.dir)
	if err != nil {
		return nil, err
	}
	if err := s.searchTables(ctx, "index"); err != nil {
		return nil, err
	}
	return figures{"read_s": read.Seconds(), "index_s": (time.Since(started) - read).Seconds(), "total_s": time.Since(started).Seconds()}, s.service.Close()
}

// askPhase opens what is there and asks.
func askPhase(ctx context.Context, o options) (figures, error) {
	started := time.Now()
	store, err := source.Open(o.dir)
	if err != nil {
		return nil, err
	}
	s, err := serve(store, o.dir)
	if err != nil {
		return nil, err
	}
	if err := s.searchTables(ctx, "shipment status"); err != nil {
		return nil, err
	}
	f := figures{"open_to_answer_s": time.Since(started).Seconds(), "open_to_answer_cpu_s": cpuSeconds()}
	asked := questions(o.questions+warmUp, o.seed)
	for _, use := range []struct {
		name string
		ask  func(context.Context, string) error
	}{{"search", s.searchTables}, {"discover", s.discover}} {
		times := make([]float64, 0, len(asked))
		before := cpuSeconds()
		for i, question := range asked {
			from := time.Now()
			if err := use.ask(ctx, question); err != nil {
				return nil, fmt.Errorf("%s %q: %w", use.name, question, err)
			}
			if i >= warmUp {
				times = append(times, float64(time.Since(from).Microseconds())/1000)
			}
		}
		f[use.name+"_mean_cpu_ms"] = (cpuSeconds() - before) * 1000 / float64(len(asked))
		slices.Sort(times)
		for _, p := range []int{50, 95, 99} {
			f[fmt.Sprintf("%s_p%d_ms", use.name, p)] = times[min(len(times)*p/100, len(times)-1)]
		}
	}
	return f, s.service.Close()
}

// served is the service without a connection.
type served struct {
	service  *findata.Service
	findData findatav1.FindDataServiceServer
}

// RegisterService implements grpc.ServiceRegistrar.
func (s *served) RegisterService(_ *grpc.ServiceDesc, server any) {
	if f, ok := server.(findatav1.FindDataServiceServer); ok {
		s.findData = f
	}
}

func serve(store *source.Store, dir string) (*served, error) {
	service, err := findata.New(findata.Config{DefaultSource: sourceName}, findata.Deps{Sources: store, DataDir: dir})
	if err != nil {
		return nil, err
	}
	s := &served{service: service}
	service.Register(s)
	return s, nil
}

func as(ctx context.Context) context.Context {
	return run.With(ctx, run.Context{Principal: run.Principal{ID: "bench"}, Now: time.Now()})
}

func (s *served) searchTables(ctx context.Context, question string) error {
	_, err := s.findData.SearchTables(as(ctx), &findatav1.SearchTablesRequest{Source: sourceName, Query: question, PageSize: 10})
	return err
}

func (s *served) discover(ctx context.Context, question string) error {
	_, err := s.findData.DiscoverUnary(as(ctx), &findatav1.DiscoverUnaryRequest{
		Query: &findatav1.DiscoverQuery{Source: sourceName, UserQuery: question, UserContext: &commonv1.UserContext{}},
	})
	return err
}

// cpuSeconds is the time of the processor that the process has used, 0 where the
// system does not say.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(u.Utime) + seconds(u.Stime)
}

// peakMB is the most memory that the process held, 0 where the system does not say.
func peakMB() float64 {
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64) // the kernel writes "123 kB"
			return kb / 1024
		}
	}
	return 0
}
