package cli

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dibrain/dibrain/internal/answer"
	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/fault"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	logifyv1 "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
)

type logsOptions struct {
	remote   remoteFlags
	files    []string
	loki     string
	run      bool
	query    bool
	validate bool
	explain  bool
	labels   bool
	since    time.Duration
	step     time.Duration
	limit    int
	strategy string
	json     bool
}

func newLogsCommand(f *Factory) *cobra.Command {
	o := &logsOptions{}
	cmd := &cobra.Command{
		Use:   `logs "QUESTION"`,
		Short: "Search logs: a question becomes LogQL, which runs on Loki or over files",
		Long: "A question becomes LogQL, with what it does in words. --run runs it on the Loki server of\n" +
			"logify.loki_url; --file searches log files instead, and runs at once:\n\n" +
			"  dibrain logs --file app.log \"count errors per service for the last hour\"",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.labels {
				return cobra.NoArgs(cmd, args)
			}
			return questionArgs(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runLogs(cmd.Context(), f, o, args) },
	}
	o.remote.add(cmd)
	cmd.Flags().StringArrayVar(&o.files, "file", nil, "log file to search, may be a pattern and be repeated")
	cmd.Flags().StringVar(&o.loki, "loki", "", "address of a Loki server, such as http://127.0.0.1:3100 (default: configuration key logify.loki_url)")
	cmd.Flags().BoolVar(&o.run, "run", false, "run the query too")
	cmd.Flags().BoolVar(&o.query, "query", false, "the argument is LogQL: run it")
	cmd.Flags().BoolVar(&o.validate, "validate", false, "the argument is LogQL: say what is wrong with it")
	cmd.Flags().BoolVar(&o.explain, "explain", false, "the argument is LogQL: say what it does")
	cmd.Flags().BoolVar(&o.labels, "labels", false, "list the labels that queries may use")
	cmd.Flags().DurationVar(&o.since, "since", time.Hour, "with --query: how far back to look for lines")
	cmd.Flags().DurationVar(&o.step, "step", 0, "with --query: compute a metric this far apart over --since, for a line chart (default: once)")
	cmd.Flags().StringVar(&o.strategy, "strategy", "", "who writes the query, rules or llm (default: configuration key logify.strategy)")
	cmd.Flags().IntVar(&o.limit, "limit", 100, "most lines, or rows of a table, to print")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the result as JSON")
	cmd.MarkFlagsMutuallyExclusive("query", "validate", "explain", "labels")
	cmd.MarkFlagsMutuallyExclusive("file", "loki", "server")
	return cmd
}

// overrides are the configuration keys that flags set.
func (o *logsOptions) overrides() (map[string]any, error) {
	switch {
	case len(o.files) > 0:
		files := make([]string, len(o.files))
		for i, file := range o.files {
			path, err := filepath.Abs(file)
			if err != nil {
				return nil, badUsage("--file: %w", err)
			}
			files[i] = path
		}
		return map[string]any{"logify.files": files, "logify.loki_url": ""}, nil
	case o.loki != "":
		return map[string]any{"logify.loki_url": o.loki, "logify.files": []string{}}, nil
	}
	return nil, nil
}

// openLogs connects to --server, or starts the services in this process with what
// the flags say of logs.
func openLogs(ctx context.Context, f *Factory, o *logsOptions) (*services, error) {
	overrides, err := o.overrides()
	if err != nil {
		return nil, err
	}
	if overrides == nil {
		return openServices(ctx, f, o.remote, noSource)
	}
	cfg, err := f.configWith(overrides)
	if err != nil {
		return nil, err
	}
	local, err := f.InProcess(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return clientsOf(local.Conn(), local.Close), nil
}

func runLogs(ctx context.Context, f *Factory, o *logsOptions, args []string) error {
	if o.limit < 1 || o.limit > 5000 {
		return fault.Invalid("--limit", "LIMIT_INVALID", "--limit is %d: use 1 to 5000", o.limit)
	}
	if o.step != 0 && (o.step < time.Second || !o.query) {
		return fault.Invalid("--step", "STEP_INVALID", "--step goes with --query and is at least 1s")
	}
	if _, known := logStrategies[o.strategy]; !known {
		return fault.Invalid("--strategy", "STRATEGY_INVALID", "--strategy is %q: use rules or llm", o.strategy)
	}
	text := ""
	if !o.labels {
		var err error
		if text, err = questionFrom(f.IO.In, args); err != nil {
			return err
		}
	}
	services, err := openLogs(ctx, f, o)
	if err != nil {
		return err
	}
	defer services.Close()
	switch {
	case o.labels:
		return listLogLabels(ctx, f, o, services)
	case o.validate:
		return validateLogQL(ctx, f, o, services, text)
	case o.explain:
		return explainLogQL(ctx, f, o, services, text)
	case o.query:
		return runLogQL(ctx, f, o, services, text)
	}
	return askLogs(ctx, f, o, services, text)
}

var logStrategies = map[string]logifyv1.Strategy{
	"": logifyv1.Strategy_STRATEGY_UNSPECIFIED, "rules": logifyv1.Strategy_STRATEGY_RULES, "llm": logifyv1.Strategy_STRATEGY_LLM,
}

func askLogs(ctx context.Context, f *Factory, o *logsOptions, s *services, question string) error {
	res, err := s.Logify.GenerateLogQL(ctx, &logifyv1.GenerateLogQLRequest{
		UserQuestion: question, Execute: o.run || len(o.files) > 0, Limit: int32(o.limit), //nolint:gosec // at most 5000
		UserContext: &commonv1.UserContext{TimeZone: localZone()}, Strategy: logStrategies[o.strategy],
	})
	if err != nil {
		return err
	}
	res.Chart = adviseLogs(ctx, f, s, res.GetPage())
	if o.json {
		return writeJSON(f.IO.Out, res)
	}
	if q := res.GetQuestion(); q != nil {
		fmt.Fprintln(f.IO.Out, f.style().Bold(term.Clean(q.GetText())))
		for _, option := range q.GetOptions() {
			fmt.Fprintln(f.IO.Out, "  "+term.Clean(option.GetLabel()))
		}
		return nil
	}
	if res.GetAnswer() != "" {
		fmt.Fprintln(f.IO.Out, f.style().Bold(term.Clean(res.GetAnswer())))
	}
	printLogResult(f, res.GetLines(), res.GetSamples(), res.GetPage(), res.GetChart(), o.limit)
	fmt.Fprintln(f.IO.Out, term.Clean(res.GetLogql()))
	fmt.Fprintln(f.IO.Out, f.style().Dim(term.Clean(res.GetExplanation())))
	for _, note := range res.GetAssumptions() {
		fmt.Fprintln(f.IO.Out, f.style().Dim(term.Clean(note)))
	}
	return nil
}

// adviseLogs asks chat BI how to draw the numbers of a metric; nil where it has no
// advice, as of a logify that runs alone. The numbers are the answer without it too.
func adviseLogs(ctx context.Context, f *Factory, s *services, page *commonv1.ResultPage) *commonv1.Chart {
	if len(page.GetRows()) < 2 {
		return nil
	}
	advice, err := s.ChatBI.AdviseChart(ctx, &chatbiv1.AdviseChartRequest{Page: page})
	if err != nil && status.Code(err) != codes.Unimplemented {
		fmt.Fprintln(f.IO.Err, "No chart is drawn: "+term.Clean(status.Convert(err).Message()))
	}
	return advice.GetChart()
}

// printLogResult prints lines, or numbers: as a table with its chart where they have
// one, else each by itself.
func printLogResult(f *Factory, lines []*logifyv1.LogLine, samples []*logifyv1.LogSample, page *commonv1.ResultPage, chart *commonv1.Chart, limit int) {
	for _, l := range lines {
		fmt.Fprintln(f.IO.Out, f.style().Dim(l.GetTime().AsTime().Format(time.RFC3339))+" "+term.Clean(l.GetLine()))
	}
	if len(page.GetRows()) > 1 {
		answer.Result(f.IO.Out, page, chart, f.answerOptions(limit, false, false))
		fmt.Fprintln(f.IO.Out)
		return
	}
	for _, v := range samples {
		var labels []string
		for _, name := range slices.Sorted(maps.Keys(v.GetLabels())) {
			labels = append(labels, name+"="+v.GetLabels()[name])
		}
		fmt.Fprintf(f.IO.Out, "%12s  %s\n", strconv.FormatFloat(v.GetValue(), 'f', -1, 64), term.Clean(strings.Join(labels, " ")))
	}
}

func runLogQL(ctx context.Context, f *Factory, o *logsOptions, s *services, query string) error {
	var step *durationpb.Duration
	if o.step > 0 {
		step = durationpb.New(o.step)
	}
	res, err := s.Logify.RunLogQLUnary(ctx, &logifyv1.RunLogQLUnaryRequest{Query: &logifyv1.RunLogQLRequest{
		Logql: query, Limit: int32(o.limit), //nolint:gosec // at most 5000
		Start: timestamppb.New(f.Clock().Add(-o.since)), End: timestamppb.New(f.Clock()), Step: step,
	}})
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(f.IO.Out, res)
	}
	printLogResult(f, res.GetLines(), res.GetSamples(), res.GetPage(), adviseLogs(ctx, f, s, res.GetPage()), o.limit)
	if res.GetSummary().GetTruncated() {
		fmt.Fprintln(f.IO.Err, "There are more lines: raise --limit or ask for less time.")
	}
	return nil
}

func validateLogQL(ctx context.Context, f *Factory, o *logsOptions, s *services, query string) error {
	res, err := s.Logify.ValidateLogQL(ctx, &logifyv1.ValidateLogQLRequest{Logql: query})
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(f.IO.Out, res)
	}
	for _, p := range res.GetProblems() {
		fmt.Fprintf(f.IO.Out, "%d:%d: %s\n", p.GetLine(), p.GetColumn(), term.Clean(p.GetMessage()))
	}
	if len(res.GetProblems()) > 0 {
		return fault.Invalid("logql", "LOGQL_INVALID", "The query is wrong in %d places.", len(res.GetProblems()))
	}
	fmt.Fprintln(f.IO.Out, term.Clean(res.GetLogql()))
	return nil
}

func explainLogQL(ctx context.Context, f *Factory, o *logsOptions, s *services, query string) error {
	res, err := s.Logify.ExplainLogQL(ctx, &logifyv1.ExplainLogQLRequest{Logql: query})
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(f.IO.Out, res)
	}
	fmt.Fprintln(f.IO.Out, term.Clean(res.GetExplanation()))
	return nil
}

func listLogLabels(ctx context.Context, f *Factory, o *logsOptions, s *services) error {
	res, err := s.Logify.ListLabels(ctx, &logifyv1.ListLabelsRequest{})
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(f.IO.Out, res)
	}
	for _, l := range res.GetLabels() {
		fmt.Fprintf(f.IO.Out, "%s: %s\n", f.style().Bold(term.Clean(l.GetName())), term.Clean(strings.Join(l.GetValues(), ", ")))
	}
	return nil
}
