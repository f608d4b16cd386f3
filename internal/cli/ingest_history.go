package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/ingest/history"
)

// historyFlags are those of `ingest SOURCE --history PATH`. What they do not say, the
// configuration's section history does.
type historyFlags struct {
	path     string
	noUsers  bool
	anew     bool
	keepDays int
}

// historyExample is shown with `dibrain ingest --help`.
const historyExample = `  dibrain ingest csv ./shop --name shop
  dibrain ingest trino https://trino.example.com:8443 --name wh
  dibrain ingest wh --history ./trino-events`

func (h *historyFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&h.path, "history", "", "file or folder with the query-completed events of Trino's event listener: who used which table when, what was joined, and shapes of queries; no value in a query is kept")
	flags.BoolVar(&h.noUsers, "no-users", false, "keep no names of persons, only counts by day")
	flags.BoolVar(&h.anew, "anew", false, "forget what was counted of the history before")
	flags.IntVar(&h.keepDays, "keep-days", 0, "days before the latest query that are kept (default: config key history.keep_days, 90)")
}

// noHistory is the error of `dibrain ingest WORD` alone: a command that is not known, data
// whose kind is missing, or a source without its history.
func noHistory(f *Factory, cmd *cobra.Command, word string) error {
	if _, err := os.Stat(word); err == nil || strings.ContainsAny(word, `/\.*`) {
		return kindMissing(f, cmd, word, "")
	}
	if !slices.Contains(f.sourceNames(), word) && commandsNear(cmd, word) != "" {
		return groupArgs(cmd, []string{word})
	}
	return badUsage("say what to read: --history PATH reads the query history of source %q; `dibrain ingest --help` lists what makes a source", word)
}

func runIngestHistory(ctx context.Context, f *Factory, h *historyFlags, name string) error {
	if h.keepDays < 0 {
		return badUsage("--keep-days is %d: it has to be at least 1", h.keepDays)
	}
	cfg, err := f.Config()
	if err != nil {
		return err
	}
	options := cfg.History.Options()
	options.NoUsers, options.Anew = options.NoUsers || h.noUsers, h.anew
	if h.keepDays > 0 {
		options.KeepDays = h.keepDays
	}
	store, err := openStore(f)
	if err != nil {
		return err
	}
	bar := newBar(f)
	options.Progress = bar.step
	report, err := history.Ingest(ctx, store, name, h.path, options)
	bar.end()
	printProblemsOf(f, ingest.Report{Problems: report.Problems, Dropped: report.Dropped})
	if err != nil {
		return err
	}
	return printHistoryReport(f, name, report)
}

// printHistoryReport tells what became of the events of a source.
func printHistoryReport(f *Factory, name string, report history.Report) (err error) {
	var rows [][]string
	for _, line := range []struct {
		what string
		n    int
	}{
		{"queries counted", report.Queries},
		{"counted before", report.Known},
		{"failed, not counted", report.Failed},
		{"of other tables, not counted", report.Elsewhere},
		{"too old, not counted", report.TooOld},
		{"events that could not be read", report.Broken},
		{"of excluded persons, not counted", report.Excluded},
		{"counted, but their texts could not be read", report.Unread},
	} {
		if line.n > 0 {
			rows = append(rows, []string{line.what, fmt.Sprint(line.n)})
		}
	}
	fmt.Fprint(f.IO.Out, term.Table([]term.Column{{Title: "events"}, {Title: "number", Right: true}}, rows, f.IO.Width(), f.style()))
	if report.Queries == 0 {
		_, err = fmt.Fprintf(f.IO.Out, "source %s: nothing new\n", name)
		return err
	}
	_, err = fmt.Fprintf(f.IO.Out, "source %s: use of %d tables, up to %s\n", name, report.Tables, report.Until.Format("2006-01-02 15:04 MST"))
	return err
}
