package lab

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/cli"
	"github.com/dibrain/dibrain/internal/eval"
	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/llm"
)

// evalOptions are the flags of eval.
type evalOptions struct {
	run    eval.Options
	engine string
	server string
	out    string
	record string
	replay string
	json   bool
}

func newEvalCommand(f *cli.Factory) *cobra.Command {
	o := &evalOptions{}
	cmd := &cobra.Command{
		Use:   "eval SUITE",
		Short: "Measure a part of the product on a set of questions",
		Long: `Run a suite over a folder of evaluation data and print its figures:

  ` + strings.Join(suiteNames(), ", ") + `

Exit codes: 0 the run completed, whatever the figures; 2 the data cannot be read.`,
		Example: `  dibrain-lab eval tables --data ../shared/data/table_discovery/spider
  dibrain-lab eval routing --data ../shared/data/routing --lang zh --json
  dibrain-lab eval demo --out items.jsonl
  dibrain-lab eval conformance --data ../shared/data/trino --out items.jsonl`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runEval(cmd.Context(), f, o, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.run.Data, "data", "", "folder of the suite's data (default of suite demo: eval/demo)")
	flags.StringVar(&o.run.Queries, "queries", "", "file of questions instead of the suite's own, in the same format")
	flags.StringVar(&o.run.History, "history", "", "suite tables: file of statements (JSON lines with db and sql) that are taken as run by people before")
	flags.StringVar(&o.run.Strategy, "strategy", "rules", "rules, or llm for the configured model")
	flags.StringVar(&o.record, "record", "", "file that the model's answers are added to")
	flags.StringVar(&o.replay, "replay", "", "file of recorded answers to use instead of a model")
	flags.StringVar(&o.run.Lang, "lang", "", "ask in this language: en or zh (default: as the data has it)")
	flags.IntVar(&o.run.Limit, "limit", 0, "ask the first N questions only; 0: all")
	flags.StringVar(&o.out, "out", "", "file for the items, a JSON line each")
	flags.StringVar(&o.engine, "engine", "duckdb", "engine of suite conformance: duckdb or trino")
	flags.StringVar(&o.server, "server", "", "address of the Trino server of --engine trino, such as http://127.0.0.1:18080")
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	cmd.AddCommand(newEvalGateCommand(f))
	return cmd
}

func suiteNames() []string {
	var names []string
	for _, s := range eval.Suites(eval.Choice{}) {
		names = append(names, s.Name())
	}
	slices.Sort(names)
	return names
}

// check finds what is wrong in the flags before anything is read.
func (o *evalOptions) check(suite string) error {
	switch {
	case (o.record != "" || o.replay != "") && o.run.Strategy != "llm" || o.record != "" && o.replay != "":
		return cli.BadUsage("--record and --replay belong to --strategy llm, one of them at a time")
	case o.run.Strategy != "rules" && o.run.Strategy != "llm":
		return cli.BadUsage("--strategy is %q: give rules or llm", o.run.Strategy)
	case o.run.Lang != "" && o.run.Lang != "en" && o.run.Lang != "zh":
		return cli.BadUsage("--lang is %q: give en or zh", o.run.Lang)
	case o.run.History != "" && suite != (eval.Tables{}).Name():
		return cli.BadUsage("--history belongs to suite tables")
	case o.run.Limit < 0:
		return cli.BadUsage("--limit is %d: give 0 for all questions, or more", o.run.Limit)
	case o.engine == "trino" && o.server == "":
		return cli.BadUsage("--engine trino needs the server's address: give --server http://HOST:PORT")
	case o.engine != "trino" && o.engine != "duckdb":
		return cli.BadUsage("--engine is %q: give duckdb or trino", o.engine)
	}
	return nil
}

// model returns what answers with --strategy llm.
func (o *evalOptions) model(f *cli.Factory) (m llm.Model, done func() error, err error) {
	done = func() error { return nil }
	switch {
	case o.run.Strategy != "llm":
		return nil, done, nil
	case o.replay != "":
		m, err = llm.Replay(o.replay)
		return m, done, err
	}
	cfg, err := f.Config()
	if err != nil {
		return nil, done, err
	}
	if m, err = app.Model(cfg.LLM, f.Clock); err != nil || o.record == "" {
		return m, done, err
	}
	recorder, err := llm.Record(o.record, m)
	if err != nil {
		return nil, done, err
	}
	return recorder, recorder.Close, nil
}

func runEval(ctx context.Context, f *cli.Factory, o *evalOptions, name string) (err error) {
	if err := o.check(name); err != nil {
		return err
	}
	suite, err := eval.Find(eval.Suites(eval.Choice{Engine: o.engine, Server: o.server}), name)
	if err != nil {
		return cli.BadUsage("%w", err)
	}
	if o.run.Strategy == "llm" && !slices.Contains([]string{(eval.Routing{}).Name(), (eval.Text2SQL{}).Name(), (eval.Demo{}).Name(), (eval.Repairs{}).Name(), (eval.Edits{}).Name(), (eval.LogQL{}).Name()}, name) {
		return cli.BadUsage("suite %s asks no model: leave --strategy out", name)
	}
	opt := o.run
	if opt.Data == "" {
		if opt.Data = eval.DefaultData(suite); opt.Data == "" {
			return cli.BadUsage("--data is missing: give the folder of the suite's data")
		}
	}
	opt.Build, opt.Clock, opt.Ingest = f.Build, f.Clock, f.InDataDir
	if name == (eval.Tables{}).Name() {
		cfg, err := f.Config()
		if err != nil {
			return err
		}
		opt.Search, opt.RankModel = cfg.FindData.Config.Search, cfg.FindData.Config.RankModel
	}
	model, closeModel, err := o.model(f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeModel()) }()
	opt.Model = model
	if o.out != "" {
		items, closeItems, err := createItems(o.out)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, closeItems()) }()
		opt.Out = items
	}
	report, err := executeWithBar(ctx, f, suite, opt)
	if err != nil {
		return evalError(err)
	}
	if o.json {
		return cli.WriteJSON(f.IO.Out, report)
	}
	return printFigures(f, report)
}

// createItems makes the file of --out. closeItems writes what is left.
func createItems(path string) (w io.Writer, closeItems func() error, err error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, nil, cli.BadUsage("--out cannot be written: %w", err)
	}
	buffered := bufio.NewWriter(file)
	return buffered, func() error { return errors.Join(buffered.Flush(), file.Close()) }, nil
}

// executeWithBar runs a suite and shows progress on a terminal.
func executeWithBar(ctx context.Context, f *cli.Factory, suite eval.Suite, opt eval.Options) (eval.Report, error) {
	b := cli.NewBar(f)
	defer b.End()
	opt.Progress = func(done, total int) { b.Step(done, total, "eval "+suite.Name()) }
	return eval.Execute(ctx, suite, opt)
}

// evalError gives data that cannot be read its exit code.
func evalError(err error) error {
	if errors.Is(err, eval.ErrData) {
		return cli.BadUsage("%w", err)
	}
	return err
}

// printFigures prints the figures over all questions, then those of groups.
func printFigures(f *cli.Factory, r eval.Report) error {
	out := f.IO.Out
	fmt.Fprintf(out, "%s over %s, strategy %s: %d questions, %d errors, %.1f s\n\n", f.Style().Bold(r.Suite), r.Data, r.Strategy, r.N, r.Errors, r.Seconds)
	var overall [][]string
	var grouped, groups []string // names of metrics that have groups, names of groups
	for _, name := range slices.Sorted(maps.Keys(r.Metrics)) {
		metric, group, isGrouped := strings.Cut(name, ".")
		if !isGrouped {
			overall = append(overall, []string{name, figure(r.Metrics[name])})
			continue
		}
		grouped, groups = append(grouped, metric), append(groups, group)
	}
	fmt.Fprint(out, term.Table([]term.Column{{Title: "metric"}, {Title: "figure", Right: true}}, overall, f.IO.Width(), f.Style()))
	if len(groups) > 0 {
		slices.Sort(groups)
		fmt.Fprintln(out)
		printGroups(f, r, slices.Compact(grouped), slices.Compact(groups))
	}
	fmt.Fprintf(out, "\nlatency  p50 %s, p95 %s, p99 %s ms; peak memory %.0f MB; version %s\n", figure(r.LatencyMS.P50), figure(r.LatencyMS.P95), figure(r.LatencyMS.P99), r.PeakRSSMB, r.Version)
	for _, note := range r.Notes {
		fmt.Fprintln(out, strings.Join(term.Wrap("note: "+term.Clean(note), f.IO.Width()), "\n"))
	}
	return nil
}

// printGroups prints a line a group.
func printGroups(f *cli.Factory, r eval.Report, metrics, groups []string) {
	columns := []term.Column{{Title: "of"}}
	for _, m := range metrics {
		columns = append(columns, term.Column{Title: m, Right: true})
	}
	rows := make([][]string, 0, len(groups))
	for _, g := range groups {
		row := []string{g}
		for _, m := range metrics {
			text := ""
			if v, ok := r.Metrics[m+"."+g]; ok {
				text = figure(v)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	fmt.Fprint(f.IO.Out, term.Table(columns, rows, f.IO.Width(), f.Style()))
}

func figure(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// evalGateOptions are the flags of eval gate.
type evalGateOptions struct {
	data, gate string
	json       bool
}

func newEvalGateCommand(f *cli.Factory) *cobra.Command {
	o := &evalGateOptions{}
	cmd := &cobra.Command{
		Use:   "gate",
		Short: "Hold the figures of several suites to their minimum",
		Long: `Run the suites that a gate file lists, and compare their figures with the bounds
in it. Exit codes: 0 all hold, 1 one does not, 2 something cannot be read.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runEvalGate(cmd.Context(), f, o) },
	}
	cmd.Flags().StringVar(&o.data, "data", "", "folder of all evaluation data")
	cmd.Flags().StringVar(&o.gate, "gate", filepath.Join("eval", "gate.yaml"), "gate file")
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

func runEvalGate(ctx context.Context, f *cli.Factory, o *evalGateOptions) error {
	if o.data == "" {
		return cli.BadUsage("--data is missing: give the folder of all evaluation data")
	}
	gates, err := eval.ReadGates(o.gate)
	if err != nil {
		return evalError(err)
	}
	suites := eval.Suites(eval.Choice{})
	all := eval.Options{Data: o.data, Strategy: "rules", Build: f.Build, Clock: f.Clock, Ingest: f.InDataDir}
	var checks []eval.Check
	for _, g := range gates {
		held, err := holdWithBar(ctx, f, g, suites, all)
		if err != nil {
			return evalError(err)
		}
		checks = append(checks, held...)
	}
	return printChecks(f, o.json, checks)
}

func holdWithBar(ctx context.Context, f *cli.Factory, g eval.Gate, suites []eval.Suite, all eval.Options) ([]eval.Check, error) {
	b := cli.NewBar(f)
	defer b.End()
	all.Progress = func(done, total int) { b.Step(done, total, g.Suite+" "+g.Data) }
	checks, _, err := g.Hold(ctx, suites, all)
	return checks, err
}

// printChecks prints every figure beside its bound; the exit code is 1 where one
// does not hold.
func printChecks(f *cli.Factory, asJSON bool, checks []eval.Check) error {
	failed := slices.ContainsFunc(checks, func(c eval.Check) bool { return !c.OK })
	if asJSON {
		if err := cli.WriteJSON(f.IO.Out, map[string]any{"ok": !failed, "checks": checks}); err != nil {
			return err
		}
	} else {
		rows := make([][]string, 0, len(checks))
		for _, c := range checks {
			bound, ok := "≥ "+figure(c.Bound), "ok"
			if c.Max {
				bound = "≤ " + figure(c.Bound)
			}
			if !c.OK {
				ok = "BELOW"
				if c.Max {
					ok = "ABOVE"
				}
			}
			rows = append(rows, []string{c.Suite, strings.TrimSpace(c.Data + " " + c.Lang), c.Metric, figure(c.Figure), bound, ok})
		}
		fmt.Fprint(f.IO.Out, term.Table([]term.Column{{Title: "suite"}, {Title: "data"}, {Title: "metric"}, {Title: "figure", Right: true}, {Title: "bound", Right: true}, {Title: "ok"}}, rows, f.IO.Width(), f.Style()))
	}
	if failed {
		return cli.ErrFailed
	}
	return nil
}
