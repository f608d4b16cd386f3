package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/analysis/workflow"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
)

type analyzeOptions struct {
	remote   remoteFlags
	source   string
	timeZone string
	yes      bool
	sqlOnly  bool
	cost     bool
	agent    string
	json     bool
	report   string
}

func newAnalyzeCommand(f *Factory) *cobra.Command {
	o := &analyzeOptions{}
	cmd := &cobra.Command{
		Use:   `analyze "QUESTION"`,
		Short: "Answer a long question with a plan, its steps and a report",
		Long: `Make a plan of steps for a long question, show it, run it once you approve, and write
a report whose every number is a cell of a step's result.

At a terminal you are asked about the plan: y runs it, other keys leave it waiting.
Elsewhere it waits, and "dibrain analyze resume ID" goes on with it, today or later.
--report writes the report to a file, as one HTML page where its name ends in .html,
as PDF where it ends in .pdf, else as Markdown.

` + askExitCodes,
		Example: `  dibrain analyze --yes --report report.html "Compare GMV of this month and last by region, find what drives the change, and write a report"
  dibrain analyze --yes "比较本月和上月各地区的GMV，找出变化的原因，写一份报告"
  dibrain analyze list`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && !strings.ContainsAny(args[0], " \t\n") && commandsNear(cmd, args[0]) != "" {
				return groupArgs(cmd, args) // one word is a command with a slip rather than a long question
			}
			return questionArgs(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			question, err := questionFrom(f.IO.In, args)
			if err != nil {
				return err
			}
			return o.start(cmd.Context(), f, question)
		},
	}
	o.remote.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.source, "source", "", `source to ask, as "dibrain sources list" names it (default: config key source)`)
	flags.StringVar(&o.timeZone, "time-zone", "", `IANA time zone that "today" is read in (default: this machine's)`)
	flags.BoolVar(&o.yes, "yes", false, "run the plan without asking")
	flags.BoolVar(&o.sqlOnly, "sql-only", false, "write the SQL of every step and run nothing")
	flags.StringVar(&o.agent, "agent", "", "agent whose documents, examples and instructions it works with (configuration key analysis.agents_file)")
	flags.BoolVar(&o.cost, "cost-confirmed", false, "run statements that read so much that you would be asked first")
	flags.BoolVar(&o.json, "json", false, "print where it stands at the end, as JSON")
	flags.StringVar(&o.report, "report", "", "file for the report: one HTML page for .html, PDF for .pdf, else Markdown")
	cmd.AddCommand(newAnalyzeListCommand(f), newAnalyzeResumeCommand(f), newAnalyzeReportCommand(f), newAnalyzeCancelCommand(f), newAnalyzeShowCommand(f), newAnalyzeFileCommand(f), newAnalyzeGraphCommand(f))
	return cmd
}

// start begins an analysis and follows it to its end, or to where it waits.
func (o *analyzeOptions) start(ctx context.Context, f *Factory, question string) error {
	if o.timeZone == "" {
		o.timeZone = localZone()
	}
	services, err := openServices(ctx, f, o.remote, o.source)
	if err != nil {
		return err
	}
	defer services.Close()
	tellDefault(f, services, o.source)
	query := &analysisv1.AnalysisQuery{
		Source: o.source, Question: question, AgentId: o.agent, OnlyNl2Sql: o.sqlOnly, CostConfirmed: o.cost,
		UserContext: &commonv1.UserContext{TimeZone: o.timeZone}, Review: analysisv1.Review_REVIEW_WAIT,
	}
	if o.yes {
		query.Review = analysisv1.Review_REVIEW_NONE
	}
	stream, err := services.Analysis.StartAnalysis(ctx, &analysisv1.StartAnalysisRequest{Query: query})
	if err != nil {
		return &outcomeError{err}
	}
	return o.follow(ctx, f, services, newPlanBoard(f), func() (*analysisv1.Analysis, error) {
		m, err := stream.Recv()
		return m.GetAnalysis(), err
	})
}

// follow prints an analysis as it goes on, asks about its plan where a person can be
// asked, and prints what came of it.
func (o *analyzeOptions) follow(ctx context.Context, f *Factory, s *services, board *planBoard, next func() (*analysisv1.Analysis, error)) error {
	var last *analysisv1.Analysis
	for {
		a, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			board.line.clear()
			if last != nil && ctx.Err() != nil {
				fmt.Fprintln(f.IO.Err, term.Clean("go on with: dibrain analyze resume "+last.GetAnalysisId()+" --continue"))
			}
			return &outcomeError{err}
		}
		last = a
		if !o.json {
			board.show(a)
		}
	}
	board.line.clear()
	if last.GetStatus() == commonv1.RunStatus_RUN_STATUS_WAITING && f.IO.Key != nil && f.IO.IsTTY && f.IO.InTTY && !o.json {
		board.costs(last)
		fmt.Fprintln(f.IO.Out, board.language.Pick("Run this plan? y runs it, any other key leaves it waiting.", "执行该计划吗？按y执行，按其他键则保持等待。"))
		key, err := f.IO.Key()
		if err != nil {
			return err
		}
		if key == 'y' || key == 'Y' {
			stream, err := s.Analysis.ResumeAnalysis(ctx, &analysisv1.ResumeAnalysisRequest{Decision: &analysisv1.ResumeDecision{
				AnalysisId: last.GetAnalysisId(), Decision: analysisv1.Decision_DECISION_APPROVE, PlanVersion: last.GetPlan().GetVersion(),
			}})
			if err != nil {
				return err
			}
			return o.follow(ctx, f, s, board, func() (*analysisv1.Analysis, error) {
				m, err := stream.Recv()
				return m.GetAnalysis(), err
			})
		}
	}
	return o.conclude(ctx, f, s, board, last)
}

// conclude prints what came of an analysis, and writes its report.
func (o *analyzeOptions) conclude(ctx context.Context, f *Factory, s *services, board *planBoard, a *analysisv1.Analysis) error {
	if a.GetHasReport() && o.report != "" {
		if err := saveReport(ctx, s, a.GetAnalysisId(), o.report); err != nil {
			return err
		}
	}
	id := term.Clean(a.GetAnalysisId())
	out, style := f.IO.Out, f.style()
	switch {
	case o.json:
		if err := writeJSON(out, a); err != nil {
			return err
		}
	case a.GetHasReport():
		fmt.Fprintln(out)
		for _, text := range a.GetSummary() {
			fmt.Fprintln(out, term.Clean(text))
		}
		hint := "dibrain analyze report " + id
		if o.report != "" {
			hint = o.report
		}
		fmt.Fprintln(out, style.Dim(board.language.Pick("report: ", "报告：")+hint))
	case a.GetStatus() == commonv1.RunStatus_RUN_STATUS_WAITING:
		board.costs(a)
		fmt.Fprintln(out, term.Clean(a.GetPending().GetText()))
		fmt.Fprintln(out, style.Dim("dibrain analyze resume "+id+" --approve"))
		fmt.Fprintln(out, style.Dim("dibrain analyze resume "+id+board.language.Pick(` --reject "by category"`, ` --reject "按类目"`)))
	default:
		fmt.Fprintln(out, term.Clean(firstOf(a.GetError(), a.GetMessage())))
	}
	switch a.GetStatus() {
	case commonv1.RunStatus_RUN_STATUS_SUCCEEDED:
		return nil
	case commonv1.RunStatus_RUN_STATUS_CANCELLED:
		return exitWith(exitCancelled)
	case commonv1.RunStatus_RUN_STATUS_TIMED_OUT, commonv1.RunStatus_RUN_STATUS_INTERRUPTED:
		return exitWith(exitAskFailed)
	}
	return exitWith(exitNoAnswer)
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// writeReport writes a report to a file, in the form that its name says.
func saveReport(ctx context.Context, s *services, id, file string) error {
	format := analysisv1.ReportFormat_REPORT_FORMAT_MARKDOWN
	if ext := strings.ToLower(filepath.Ext(file)); ext == ".html" || ext == ".htm" {
		format = analysisv1.ReportFormat_REPORT_FORMAT_HTML
	} else if ext == ".pdf" {
		format = analysisv1.ReportFormat_REPORT_FORMAT_PDF
	}
	r, err := s.Analysis.GetReport(ctx, &analysisv1.GetReportRequest{AnalysisId: id, Format: format})
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, append([]byte(r.GetText()), r.GetData()...), 0o600); err != nil {
		return fault.Invalid("--report", "REPORT_NOT_WRITTEN", "The report cannot be written: %v. `dibrain analyze report %s` prints it.", err, id)
	}
	return nil
}

// planBoard shows a plan that fills up: its steps once, then each as it ends.
type planBoard struct {
	f        *Factory
	line     *stepLine
	version  int32
	priced   int32 // version whose costs were told
	told     map[string]bool
	language lang.Language
}

func newPlanBoard(f *Factory) *planBoard {
	return &planBoard{f: f, line: newStepLine(f), told: make(map[string]bool)}
}

func (b *planBoard) show(a *analysisv1.Analysis) {
	b.language = lang.Detect(a.GetQuestion())
	out, style := b.f.IO.Out, b.f.style()
	if a.GetPlan().GetVersion() > b.version {
		b.line.clear()
		b.version, b.told = a.GetPlan().GetVersion(), make(map[string]bool)
		fmt.Fprintf(out, "%s %s\n", b.language.Pick("Plan", "计划"), style.Dim(term.Clean(a.GetAnalysisId())))
		for _, s := range a.GetPlan().GetSteps() {
			fmt.Fprintf(out, "  %-7s %s\n", term.Clean(s.GetId()), term.Clean(s.GetInstruction()))
		}
		for _, u := range a.GetPlan().GetUnanswered() {
			fmt.Fprintln(out, style.Warn("  "+term.Clean(u.GetPart()+": "+u.GetReason())))
		}
		for _, text := range a.GetPlan().GetAssumptions() {
			fmt.Fprintln(out, style.Dim("  "+term.Clean(text)))
		}
		fmt.Fprintln(out)
	}
	for _, r := range a.GetResults() {
		if b.told[r.GetStepId()] {
			continue
		}
		switch r.GetStatus() {
		case analysisv1.StepStatus_STEP_STATUS_DONE:
			b.line.clear()
			b.told[r.GetStepId()] = true
			fmt.Fprintf(out, "  ✓ %s\n", term.Clean(r.GetStepId()))
		case analysisv1.StepStatus_STEP_STATUS_UNANSWERED:
			b.line.clear()
			b.told[r.GetStepId()] = true
			fmt.Fprintln(out, style.Warn("  ✗ "+term.Clean(r.GetStepId()+": "+r.GetProblem())))
		}
	}
	if a.GetStatus() == commonv1.RunStatus_RUN_STATUS_RUNNING {
		b.line.show(a.GetMessage())
	}
}

// costs says once of each version of a plan what its steps would read.
func (b *planBoard) costs(a *analysisv1.Analysis) {
	if b.priced == a.GetPlan().GetVersion() || len(a.GetPlan().GetCosts()) == 0 {
		return
	}
	b.priced = a.GetPlan().GetVersion()
	out, style := b.f.IO.Out, b.f.style()
	fmt.Fprintln(out, b.language.Pick("What it would read, by estimate:", "预计读取："))
	for _, c := range a.GetPlan().GetCosts() {
		var parts []string
		if c.GetRows() >= 0 && c.GetUnknownReason() == "" {
			parts = append(parts, humanize.Comma(c.GetRows())+b.language.Pick(" rows", "行"))
		}
		if c.GetBytes() >= 0 && c.GetUnknownReason() == "" {
			parts = append(parts, humanize.IBytes(uint64(c.GetBytes())))
		}
		text := strings.Join(parts, ", ")
		if text == "" {
			text = b.language.Pick("unknown", "未知")
			if reason := c.GetUnknownReason(); reason != "" {
				text += ": " + reason
			}
		}
		fmt.Fprintln(out, style.Dim(fmt.Sprintf("  %-7s %s", term.Clean(c.GetStepId()), term.Clean(text))))
	}
	fmt.Fprintln(out)
}

func newAnalyzeListCommand(f *Factory) *cobra.Command {
	remote, table := remoteFlags{}, tableFlags{}
	cmd := &cobra.Command{
		Use: "list", Short: "List your analyses, newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			r, err := services.Analysis.ListAnalyses(cmd.Context(), &analysisv1.ListAnalysesRequest{PageSize: 200})
			if err != nil {
				return err
			}
			if table.asJSON() {
				return writeJSON(f.IO.Out, r)
			}
			var rows [][]string
			for _, a := range r.GetAnalyses() {
				status := strings.ToLower(strings.TrimPrefix(a.GetStatus().String(), "RUN_STATUS_"))
				rows = append(rows, []string{a.GetAnalysisId(), status, a.GetStartedAt().AsTime().Local().Format(time.DateTime), a.GetQuestion()})
			}
			return table.print(f, []term.Column{{Title: "analysis", Whole: true}, {Title: "status"}, {Title: "began"}, {Title: "question"}}, rows)
		},
	}
	remote.add(cmd)
	table.add(cmd, "print the list as JSON")
	return cmd
}

func newAnalyzeShowCommand(f *Factory) *cobra.Command {
	remote := remoteFlags{}
	cmd := &cobra.Command{
		Use: "show ID", Short: "Print where an analysis stands, with the results of its steps, as JSON", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			r, err := services.Analysis.GetAnalysis(cmd.Context(), &analysisv1.GetAnalysisRequest{AnalysisId: args[0]})
			if err != nil {
				return err
			}
			return writeJSON(f.IO.Out, r.GetAnalysis())
		},
	}
	remote.add(cmd)
	return cmd
}

func newAnalyzeResumeCommand(f *Factory) *cobra.Command {
	o := &analyzeOptions{}
	var approve, goOn bool
	var reject string
	cmd := &cobra.Command{
		Use: "resume ID", Short: "Decide on a plan that waits, or go on with an analysis that was interrupted", Args: cobra.ExactArgs(1),
		Example: `  dibrain analyze resume ana_0123456789abcdef01234567 --approve --report report.html
  dibrain analyze resume ana_0123456789abcdef01234567 --reject "by category"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			d := &analysisv1.ResumeDecision{AnalysisId: args[0], Feedback: reject}
			given := 0
			for _, c := range []struct {
				given    bool
				decision analysisv1.Decision
			}{{approve, analysisv1.Decision_DECISION_APPROVE}, {reject != "", analysisv1.Decision_DECISION_REJECT}, {goOn, analysisv1.Decision_DECISION_CONTINUE}} {
				if c.given {
					d.Decision = c.decision
					given++
				}
			}
			if given != 1 {
				return badUsage("give one of --approve, --reject and --continue")
			}
			return o.resume(cmd.Context(), f, d)
		},
	}
	o.remote.add(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&approve, "approve", false, "run the plan that waits")
	flags.StringVar(&reject, "reject", "", "words on what another plan should do")
	flags.BoolVar(&goOn, "continue", false, "go on after the last step that ended, where the process died")
	flags.BoolVar(&o.json, "json", false, "print where it stands at the end, as JSON")
	flags.StringVar(&o.report, "report", "", "file for the report: one HTML page for .html, PDF for .pdf, else Markdown")
	return cmd
}

func (o *analyzeOptions) resume(ctx context.Context, f *Factory, d *analysisv1.ResumeDecision) error {
	services, err := openServices(ctx, f, o.remote, "")
	if err != nil {
		return err
	}
	defer services.Close()
	have, err := services.Analysis.GetAnalysis(ctx, &analysisv1.GetAnalysisRequest{AnalysisId: d.GetAnalysisId()})
	if err != nil {
		return err
	}
	board := newPlanBoard(f)
	if d.GetDecision() != analysisv1.Decision_DECISION_REJECT && !o.json {
		board.show(have.GetAnalysis()) // what is decided on
	}
	d.PlanVersion = have.GetAnalysis().GetPlan().GetVersion()
	board.version = d.PlanVersion // shown by now, or rejected
	stream, err := services.Analysis.ResumeAnalysis(ctx, &analysisv1.ResumeAnalysisRequest{Decision: d})
	if err != nil {
		return &outcomeError{err}
	}
	return o.follow(ctx, f, services, board, func() (*analysisv1.Analysis, error) {
		m, err := stream.Recv()
		return m.GetAnalysis(), err
	})
}

func newAnalyzeReportCommand(f *Factory) *cobra.Command {
	remote, file := remoteFlags{}, ""
	cmd := &cobra.Command{
		Use: "report ID", Short: "Print the report of an analysis as Markdown, or write it to a file", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			if file != "" {
				return saveReport(cmd.Context(), services, args[0], file)
			}
			r, err := services.Analysis.GetReport(cmd.Context(), &analysisv1.GetReportRequest{AnalysisId: args[0]})
			if err != nil {
				return err
			}
			_, err = io.WriteString(f.IO.Out, r.GetText())
			return err
		},
	}
	remote.add(cmd)
	cmd.Flags().StringVar(&file, "out", "", "file to write: one HTML page for .html, PDF for .pdf, else Markdown")
	return cmd
}

func newAnalyzeGraphCommand(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "graph", Short: "Print the workflow of analyses as a Mermaid flowchart", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := workflow.Diagram()
			if err != nil {
				return err
			}
			_, err = io.WriteString(f.IO.Out, text)
			return err
		},
	}
}

func newAnalyzeFileCommand(f *Factory) *cobra.Command {
	remote, file := remoteFlags{}, ""
	cmd := &cobra.Command{
		Use: "file ID [NAME]", Short: "List the files that the steps of an analysis made, or write one", Args: cobra.RangeArgs(1, 2),
		Example: `  dibrain analyze file ana_0123456789abcdef01234567
  dibrain analyze file ana_0123456789abcdef01234567 s1.chart.png --out s1.png`,
		RunE: func(cmd *cobra.Command, args []string) error {
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			if len(args) == 1 {
				r, err := services.Analysis.GetAnalysis(cmd.Context(), &analysisv1.GetAnalysisRequest{AnalysisId: args[0]})
				if err != nil {
					return err
				}
				for _, step := range r.GetAnalysis().GetResults() {
					for _, a := range step.GetArtifacts() {
						fmt.Fprintf(f.IO.Out, "%-32s %s\n", term.Clean(a.GetName()), term.Clean(a.GetMediaType()))
					}
				}
				return nil
			}
			r, err := services.Analysis.GetArtifact(cmd.Context(), &analysisv1.GetArtifactRequest{AnalysisId: args[0], Name: args[1]})
			if err != nil {
				return err
			}
			if file == "" {
				file = args[1]
			}
			if err := os.WriteFile(file, r.GetData(), 0o600); err != nil {
				return fault.Invalid("--out", "FILE_NOT_WRITTEN", "The file cannot be written: %v.", err)
			}
			fmt.Fprintln(f.IO.Out, term.Clean(file))
			if r.GetTruncated() {
				fmt.Fprintln(f.IO.Err, f.style().Warn("! The step's result has more rows than are kept of it (analysis.max_rows)."))
			}
			return nil
		},
	}
	remote.add(cmd)
	cmd.Flags().StringVar(&file, "out", "", "file to write (default: its name, here)")
	return cmd
}

func newAnalyzeCancelCommand(f *Factory) *cobra.Command {
	remote := remoteFlags{}
	cmd := &cobra.Command{
		Use: "cancel ID", Short: "End an analysis that is at work or waits", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			r, err := services.Analysis.CancelAnalysis(cmd.Context(), &analysisv1.CancelAnalysisRequest{AnalysisId: args[0]})
			if err != nil {
				return err
			}
			fmt.Fprintln(f.IO.Out, term.Clean(r.GetAnalysis().GetMessage()))
			return nil
		},
	}
	remote.add(cmd)
	return cmd
}
