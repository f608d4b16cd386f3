// Command findtables measures finding among many tables, on a warehouse that it
// makes up itself:
//
//	go run ./test/bench/findtables -tables 50000
//	go run ./test/bench/findtables -corpus DIR/corpus.jsonl.gz -asked DIR/queries.jsonl
//
// It prints how long the ingest of the tables and the index take, how long a fresh
// process needs from opening the source to the first answer, the memory of both and
// what stays of it when all is asked, and the times of searches and of whole
// discoveries, one at a time, no question twice. Each phase runs in a process of its
// own. Times of the processor are told beside those of the clock: on a machine that
// does other things as well, they say more. They are those of the whole process, the
// garbage collector's among them.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
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
	corpus, asked              string // files of a warehouse that is not made up
	answers, profile           string // files that phase ask writes in the place of its figures
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
	flag.StringVar(&o.corpus, "corpus", "", "tables as JSON lines, instead of made ones")
	flag.StringVar(&o.asked, "asked", "", "questions about them, as JSON lines with question")
	flag.StringVar(&o.phase, "phase", "", "ingest or ask: one phase alone, in -dir")
	flag.StringVar(&o.answers, "answers", "", "in phase ask: a file for the best tables of each question, to compare two programs by")
	flag.StringVar(&o.profile, "profile", "", "in phase ask: a file for a profile of the slowest questions")
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
	f["cpu_s"] = cpuSeconds()
	if _, noted := f["rss_peak_mb"]; !noted {
		f["rss_peak_mb"] = statusMB("VmHWM:")
	}
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
	if o.corpus == "" {
		o.corpus = filepath.Join(o.dir, "tables.jsonl")
		if err := generate(o.corpus, o.tables, o.columns, o.seed); err != nil {
			return err
		}
		fmt.Printf("tables %d, columns %d, questions %d, seed %d\n", o.tables, o.columns, o.questions, o.seed)
	}
	for _, phase := range []string{"ingest", "ask"} {
		child := exec.CommandContext(ctx, os.Args[0], "-phase", phase, "-dir", o.dir, "-corpus", o.corpus, "-asked", o.asked,
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
	if _, err := jsonl.Ingest(ctx, store, sourceName, o.corpus, ingest.Options{}); err != nil {
		return nil, err
	}
	read := time.Since(started)
	s, err := serve(store, o.dir, findata.Config{})
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
	var cfg findata.Config
	if o.profile != "" {
		cfg.CacheQueries = 1 // each is searched for anew
	}
	s, err := serve(store, o.dir, cfg)
	if err != nil {
		return nil, err
	}
	if err := s.searchTables(ctx, "shipment status"); err != nil {
		return nil, err
	}
	f := figures{"open_to_answer_s": time.Since(started).Seconds(), "open_to_answer_cpu_s": cpuSeconds()}
	asked, err := o.questionsAsked()
	if err != nil {
		return nil, err
	}
	if o.answers != "" {
		if err := s.answers(ctx, o.answers, asked); err != nil {
			return nil, err
		}
	}
	if o.profile != "" {
		if err := s.profile(ctx, o.profile, asked); err != nil {
			return nil, err
		}
	}
	if o.answers != "" || o.profile != "" {
		return f, s.service.Close()
	}
	for _, use := range []struct {
		name string
		ask  func(context.Context, string) error
	}{{"search", s.searchTables}, {"discover", s.discover}} {
		if err := f.time(ctx, use.name, asked, use.ask); err != nil {
			return nil, err
		}
	}
	if err := f.keep(store); err != nil {
		return nil, err
	}
	return f, s.service.Close()
}

// questionsAsked are those of a file, or made ones; each once.
func (o options) questionsAsked() ([]string, error) {
	if o.asked == "" {
		return distinct(questions(o.questions+warmUp, o.seed)), nil
	}
	raw, err := os.ReadFile(o.asked)
	if err != nil {
		return nil, err
	}
	var asked []string
	for line := range strings.Lines(string(raw)) {
		var q struct{ Question string }
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			return nil, fmt.Errorf("%s: %w", o.asked, err)
		}
		asked = append(asked, q.Question)
	}
	return distinct(asked), nil
}

// distinct leaves each text once: the second time the service would know it.
func distinct(list []string) []string {
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(text string) bool {
		again := seen[text]
		seen[text] = true
		return again
	})
}

// time asks each question and notes the distribution of its times, by the clock and
// of the processor.
func (f figures) time(ctx context.Context, name string, asked []string, ask func(context.Context, string) error) error {
	var clock, processor []float64
	before := cpuSeconds()
	for i, question := range asked {
		from, cpu := time.Now(), cpuSeconds()
		if err := ask(ctx, question); err != nil {
			return fmt.Errorf("%s %q: %w", name, question, err)
		}
		if i >= warmUp {
			clock = append(clock, time.Since(from).Seconds()*1000)
			processor = append(processor, (cpuSeconds()-cpu)*1000)
		}
	}
	f[name+"_mean_cpu_ms"] = (cpuSeconds() - before) * 1000 / float64(len(asked))
	for unit, times := range map[string][]float64{"_ms": clock, "_cpu_ms": processor} {
		slices.Sort(times)
		for _, p := range []int{50, 95, 99} {
			f[fmt.Sprintf("%s_p%d%s", name, p, unit)] = times[min(len(times)*p/100, len(times)-1)]
		}
	}
	f[name+"_n"] = float64(len(clock))
	return nil
}

// keep notes the memory that stays: what lives after a collection, and what the system
// has given the process.
func (f figures) keep(store *source.Store) error {
	f["rss_mb"], f["rss_peak_mb"] = statusMB("VmRSS:"), statusMB("VmHWM:") // before the tables are read once more
	runtime.GC()
	runtime.GC() // what is in pools is freed by the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	g, err := store.Current(sourceName)
	if err != nil {
		return err
	}
	snapshot, err := g.Snapshot()
	if err != nil {
		return err
	}
	f["live_mb"], f["live_bytes_a_table"] = float64(m.HeapAlloc)/(1<<20), float64(m.HeapAlloc)/float64(len(snapshot.Tables))
	return nil
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

func serve(store *source.Store, dir string, cfg findata.Config) (*served, error) {
	cfg.DefaultSource = sourceName
	service, err := findata.New(cfg, findata.Deps{Sources: store, DataDir: dir})
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
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return float64(t.Sec) + float64(t.Nsec)/1e9
}

// statusMB is a figure of what the system says of the process' memory, 0 where it does
// not say.
func statusMB(figure string) float64 {
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, figure); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64) // the kernel writes "123 kB"
			return kb / 1024
		}
	}
	return 0
}
