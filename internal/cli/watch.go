package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dibrain/dibrain/internal/term"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
)

func newWatchCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "watch", Short: "Ask a question again and again, and send what comes of it",
		Long: `Ask a question again and again, when a schedule says, and send what comes of it to a
chat or into a folder. A running server (dibrain serve) runs watches, as you: "add" and
"resume" give it the right to, "revoke" ends that.`,
		Example: `  dibrain watch add gmv --schedule "0 8 * * *" --time-zone Asia/Singapore --on-new-data --on-finding "anomaly sweep over GMV"
  dibrain watch run gmv
  dibrain watch list`,
	}
	cmd.AddCommand(newWatchAddCommand(f), newWatchListCommand(f), newWatchShowCommand(f), newWatchRunCommand(f), newWatchTargetsCommand(f), newWatchRevokeCommand(f),
		watchChange(f, "pause", "Let a watch rest until it is resumed", func(ctx context.Context, s *services, name string) (string, error) {
			_, err := s.Analysis.PauseWatch(ctx, &analysisv1.PauseWatchRequest{WatchId: name})
			return "paused", err
		}),
		watchChange(f, "resume", "Let a watch that is paused or stopped run again, by a new grant of yours", func(ctx context.Context, s *services, name string) (string, error) {
			r, err := s.Analysis.ResumeWatch(ctx, &analysisv1.ResumeWatchRequest{WatchId: name})
			return "active, next at " + moment(r.GetWatch().GetNextAt(), r.GetWatch().GetSpec().GetTimeZone()), err
		}),
		watchChange(f, "remove", "Remove a watch; analyses that it has made stay", func(ctx context.Context, s *services, name string) (string, error) {
			_, err := s.Analysis.DeleteWatch(ctx, &analysisv1.DeleteWatchRequest{WatchId: name})
			return "removed", err
		}))
	return cmd
}

// moment is a time as the watch's zone has it.
func moment(t *timestamppb.Timestamp, zone string) string {
	if t == nil {
		return ""
	}
	at, err := time.LoadLocation(zone) // empty: UTC
	if err != nil {
		at = time.UTC
	}
	return t.AsTime().In(at).Format("2006-01-02 15:04 MST")
}

// lower is the last word of an enum's name, as people read it.
func lower(name, prefix string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, prefix)), "_", " ")
}

func newWatchAddCommand(f *Factory) *cobra.Command {
	remote, asJSON := remoteFlags{}, false
	spec := &analysisv1.WatchSpec{Gates: &analysisv1.WatchGates{}}
	cmd := &cobra.Command{
		Use: `add NAME "QUESTION"`, Short: "Watch a question",
		Long: `Ask a question whenever a cron line says: "minute hour day month weekday", such as
"0 8 * * 1" for 08:00 on Mondays, or @daily. The server runs it as you until you revoke
that, or for as long as analysis.watch_grant says.

--on-new-data leaves a tick out unless data has arrived since the run before; --table
names tables that all have to have newer data. --on-finding tells only what is beyond
chance and was not told before: unusual days, shifts of level, trends, differences,
relations.`,
		Example: `  dibrain watch add gmv --schedule "0 8 * * *" --time-zone Asia/Singapore --on-new-data --on-finding --to sales-chat "anomaly sweep over GMV"
  dibrain watch add 周报 --schedule "0 9 * * 1" --time-zone Asia/Shanghai "写一份业务周报"`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			spec.Name = args[0]
			question, err := questionFrom(f.IO.In, args[1:])
			if err != nil {
				return err
			}
			spec.Question = question
			if spec.TimeZone == "" {
				spec.TimeZone = localZone()
			}
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			r, err := services.Analysis.CreateWatch(cmd.Context(), &analysisv1.CreateWatchRequest{Spec: spec})
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(f.IO.Out, r.GetWatch())
			}
			w := r.GetWatch()
			fmt.Fprintf(f.IO.Out, "%s is watched. It runs as %s, next at %s, until %s.\n", term.Clean(w.GetSpec().GetName()), term.Clean(w.GetGrant().GetPrincipal()),
				moment(w.GetNextAt(), spec.GetTimeZone()), moment(w.GetGrant().GetExpiresAt(), spec.GetTimeZone()))
			if remote.server == "" {
				fmt.Fprintln(f.IO.Err, f.style().Dim("A running server does so: dibrain serve. `dibrain watch run` runs it at once."))
			}
			return nil
		},
	}
	remote.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&spec.Schedule, "schedule", "", `cron line, "minute hour day month weekday", or @hourly, @daily, @weekly, @monthly`)
	flags.StringVar(&spec.TimeZone, "time-zone", "", `IANA time zone of the schedule and of "today" (default: this machine's)`)
	flags.StringVar(&spec.Source, "source", "", `source to ask, as "dibrain sources list" names it (default: config key source)`)
	flags.BoolVar(&spec.Gates.OnNewData, "on-new-data", false, "run only when data has arrived since the run before")
	flags.StringArrayVar(&spec.Gates.Tables, "table", nil, "table that has to have newer data, with --on-new-data; may be repeated")
	flags.BoolVar(&spec.Gates.OnFinding, "on-finding", false, "tell only what was found beyond chance and not told before")
	flags.StringVar(&spec.Target, "to", "", `target of the result, as "dibrain watch targets" names it (default: it is kept)`)
	flags.StringVar(&spec.AgentId, "agent", "", "agent whose documents, examples and instructions it works with (configuration key analysis.agents_file)")
	flags.BoolVar(&spec.CostConfirmed, "cost-confirmed", false, "run statements that read so much that you would be asked first")
	flags.BoolVar(&asJSON, "json", false, "print the watch as JSON")
	if err := cmd.MarkFlagRequired("schedule"); err != nil {
		panic(err) // the flag is there
	}
	return cmd
}

func newWatchListCommand(f *Factory) *cobra.Command {
	remote, table := remoteFlags{}, tableFlags{}
	cmd := &cobra.Command{
		Use: "list", Short: "List your watches", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			r, err := services.Analysis.ListWatches(cmd.Context(), &analysisv1.ListWatchesRequest{})
			if err != nil {
				return err
			}
			if table.asJSON() {
				return writeJSON(f.IO.Out, r)
			}
			var rows [][]string
			for _, w := range r.GetWatches() {
				spec := w.GetSpec()
				rows = append(rows, []string{
					spec.GetName(), lower(w.GetStatus().String(), "WATCH_STATUS_"), spec.GetSchedule(), moment(w.GetNextAt(), spec.GetTimeZone()), spec.GetTarget(), spec.GetQuestion(),
				})
			}
			return table.print(f, []term.Column{{Title: "watch", Whole: true}, {Title: "status"}, {Title: "schedule"}, {Title: "next"}, {Title: "to"}, {Title: "question"}}, rows)
		},
	}
	remote.add(cmd)
	table.add(cmd, "print the list as JSON")
	return cmd
}

func newWatchShowCommand(f *Factory) *cobra.Command {
	remote, asJSON := remoteFlags{}, false
	cmd := &cobra.Command{
		Use: "show NAME", Short: "Show a watch and its runs", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			r, err := services.Analysis.GetWatch(cmd.Context(), &analysisv1.GetWatchRequest{WatchId: args[0]})
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(f.IO.Out, r.GetWatch())
			}
			printWatch(f, r.GetWatch())
			return nil
		},
	}
	remote.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// printWatch prints a watch with its newest runs first.
func printWatch(f *Factory, w *analysisv1.Watch) {
	out, style, spec := f.IO.Out, f.style(), w.GetSpec()
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(out, "%-9s %s\n", name, term.Clean(text))
		}
	}
	line("watch", spec.GetName())
	line("question", spec.GetQuestion())
	line("agent", spec.GetAgentId())
	line("schedule", spec.GetSchedule()+", "+firstOf(spec.GetTimeZone(), "UTC"))
	line("status", lower(w.GetStatus().String(), "WATCH_STATUS_"))
	line("next", moment(w.GetNextAt(), spec.GetTimeZone()))
	line("to", spec.GetTarget())
	line("runs as", w.GetGrant().GetPrincipal()+", until "+moment(w.GetGrant().GetExpiresAt(), spec.GetTimeZone()))
	if why := w.GetStoppedBecause(); why != "" {
		fmt.Fprintln(out, style.Warn(term.Clean(why)))
	}
	if w.GetCurrent() != nil {
		printWatchRun(f, w.GetCurrent(), spec.GetTimeZone())
	}
	for _, r := range w.GetRuns() {
		printWatchRun(f, r, spec.GetTimeZone())
	}
}

func printWatchRun(f *Factory, r *analysisv1.WatchRun, zone string) {
	out, style := f.IO.Out, f.style()
	outcome := "not ended"
	if r.GetEndedAt() != nil {
		outcome = lower(r.GetOutcome().String(), "WATCH_OUTCOME_")
	}
	fmt.Fprintf(out, "\n%s  %s\n", moment(r.GetBeganAt(), zone), outcome)
	if r.GetMessage() != "" {
		fmt.Fprintln(out, "  "+term.Clean(r.GetMessage()))
	}
	for _, text := range r.GetFindings() {
		fmt.Fprintln(out, "  • "+term.Clean(text))
	}
	if r.GetAnalysisId() != "" {
		fmt.Fprintln(out, style.Dim("  dibrain analyze report "+term.Clean(r.GetAnalysisId())))
	}
}

func newWatchRunCommand(f *Factory) *cobra.Command {
	remote, ignore, asJSON := remoteFlags{}, false, false
	cmd := &cobra.Command{
		Use: "run NAME", Short: "Run a watch now, beside its schedule", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			services, err := openServices(cmd.Context(), f, remote, "")
			if err != nil {
				return err
			}
			defer services.Close()
			r, err := services.Analysis.RunWatch(cmd.Context(), &analysisv1.RunWatchRequest{WatchId: args[0], IgnoreGates: ignore})
			if err != nil {
				return &outcomeError{err}
			}
			w := r.GetWatch()
			done := w.GetCurrent()
			if done == nil && len(w.GetRuns()) > 0 {
				done = w.GetRuns()[0]
			}
			if asJSON {
				if err := writeJSON(f.IO.Out, done); err != nil {
					return err
				}
			} else {
				printWatchRun(f, done, w.GetSpec().GetTimeZone())
			}
			switch done.GetOutcome() {
			case analysisv1.WatchOutcome_WATCH_OUTCOME_FAILED, analysisv1.WatchOutcome_WATCH_OUTCOME_STOPPED:
				return exitWith(exitNoAnswer)
			case analysisv1.WatchOutcome_WATCH_OUTCOME_UNDELIVERED:
				return exitWith(exitAskFailed)
			}
			return nil
		},
	}
	remote.add(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&ignore, "ignore-gates", false, "run and tell whatever --on-new-data and --on-finding say")
	flags.BoolVar(&asJSON, "json", false, "print the run as JSON")
	return cmd
}

func newWatchTargetsCommand(f *Factory) *cobra.Command {
	remote, table := remoteFlags{}, tableFlags{}
	cmd := &cobra.Command{
		Use: "targets", Short: "List where results may be sent", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			r, err := services.Analysis.ListWatchTargets(cmd.Context(), &analysisv1.ListWatchTargetsRequest{})
			if err != nil {
				return err
			}
			if table.asJSON() {
				return writeJSON(f.IO.Out, r)
			}
			var rows [][]string
			for _, t := range r.GetTargets() {
				rows = append(rows, []string{t.GetName(), t.GetKind()})
			}
			return table.print(f, []term.Column{{Title: "target", Whole: true}, {Title: "kind"}}, rows)
		},
	}
	remote.add(cmd)
	table.add(cmd, "print the list as JSON")
	return cmd
}

func newWatchRevokeCommand(f *Factory) *cobra.Command {
	remote, principal, all := remoteFlags{}, "", false
	cmd := &cobra.Command{
		Use: "revoke [NAME]", Short: "End the right of a watch, or of all of them, to run as you",
		Long: `End the right of a watch, or with --all of all, to run as you. It stops at once, also
in the middle of a run. An administrator ends those of somebody else with --principal.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) {
				return badUsage("name a watch, or give --all")
			}
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			request := &analysisv1.RevokeWatchGrantsRequest{Principal: principal}
			if !all {
				request.WatchId = args[0]
			}
			r, err := services.Analysis.RevokeWatchGrants(cmd.Context(), request)
			if err != nil {
				return err
			}
			fmt.Fprintln(f.IO.Out, plural(int(r.GetStopped()), "watch has", "watches have")+" stopped.")
			return nil
		},
	}
	remote.add(cmd)
	cmd.Flags().StringVar(&principal, "principal", "", "whose watches, for administrators (default: your own)")
	cmd.Flags().BoolVar(&all, "all", false, "all watches")
	return cmd
}

// watchChange is a command that changes the watch of a name.
func watchChange(f *Factory, use, short string, change func(context.Context, *services, string) (string, error)) *cobra.Command {
	remote := remoteFlags{}
	cmd := &cobra.Command{
		Use: use + " NAME", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			now, err := change(cmd.Context(), services, args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(f.IO.Out, "%s: %s\n", term.Clean(args[0]), now)
			return nil
		},
	}
	remote.add(cmd)
	return cmd
}
