package cli

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/ingest/dbt"
	"github.com/dibrain/dibrain/pkg/ingest/jsonl"
	"github.com/dibrain/dibrain/pkg/source"
)

// ingestFunc is one of the functions of pkg/ingest.
type ingestFunc func(ctx context.Context, store *source.Store, name, path string, options ingest.Options) (ingest.Report, error)

type ingestOptions struct {
	name      string
	delimiter string
	header    string
	dateOrder string
	options   ingest.Options
	dbt       dbtFlag
}

func newIngestCommand(f *Factory) *cobra.Command {
	history := &historyFlags{}
	name := ""
	cmd := &cobra.Command{
		Use:   "ingest SOURCE --history PATH",
		Short: "Bring your own data in as a source",
		Long: `Bring your own data in as a source. What is broken is left out and named with
file, line and column; what is good is kept. The new data is swapped in when it
is complete, so an interrupted ingest changes nothing.

A source that is there already takes what the query history says of its tables.`,
		Example: historyExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 { // a source stands alone, so the first word is a kind of data
				return groupArgs(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case history.path == "" && name != "":
				return kindMissing(f, cmd, strings.Join(args, ""), name)
			case name != "":
				return badUsage("--name names a new source, and --history adds to the one that stands before it: dibrain ingest %s --history PATH", name)
			case len(args) == 0 && history.path != "":
				return badUsage("name the source that the query history is of: dibrain ingest SOURCE --history %s", shellWord(history.path))
			case len(args) == 0:
				return cmd.Help()
			case history.path == "":
				return noHistory(f, cmd, args[0])
			}
			return runIngestHistory(cmd.Context(), f, history, args[0])
		},
	}
	history.add(cmd)
	cmd.Flags().StringVar(&name, "name", "", "")
	_ = cmd.Flags().MarkHidden("name") // there only to tell whoever gives it that the kind is missing
	cmd.SetFlagErrorFunc(kindFlagError(f))
	csv := newIngestKind(f, "csv PATH", "Each CSV file of a folder or a pattern becomes a table; a schema.sql beside them is read for keys and types", ingest.CSV)
	cmd.AddCommand(
		csv,
		newIngestKind(f, "files PATH", "CSV, JSON, Excel, Parquet and SQLite files of a folder or a pattern, each file or sheet a table", ingest.Files),
		newIngestKind(f, "parquet PATH", "A Parquet file, or each Parquet file of a folder, becomes a table", ingest.Parquet),
		newIngestKind(f, "duckdb FILE", "The tables of a DuckDB database", ingest.DuckDB),
		newIngestKind(f, "sqlite FILE", "The tables of a SQLite database, also while another program has it open", ingest.SQLite),
		newIngestKind(f, "sql-dump FILE", "A dump of PostgreSQL, MySQL or SQLite; nothing of it is executed", ingest.SQLDump),
		newIngestKind(f, "jsonl FILE", "A file that describes a table a line as JSON, perhaps packed with gzip; there are no data", jsonl.Ingest),
		newIngestKind(f, "dbt PATH", "The models, sources and tests of a dbt project: its manifest.json, or the folder with it; there are no data", dbt.Ingest),
		newIngestTrinoCommand(f),
	)
	return cmd
}

func newIngestKind(f *Factory, use, short string, do ingestFunc) *cobra.Command {
	o := &ingestOptions{}
	cmd := &cobra.Command{
		Use:   use + " --name NAME",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return runIngest(cmd.Context(), f, o, args[0], do) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.name, "name", "", "name of the source: lower-case letters, digits and _")
	flags.BoolVar(&o.options.NoSamples, "no-samples", false, "keep no stored values in the catalog (questions that name values work less well)")
	flags.StringSliceVar(&o.options.Personal, "personal", nil, "further columns whose values are personal and never kept as samples")
	if use == "csv PATH" || use == "files PATH" {
		flags.StringArrayVar(&o.options.NullTokens, "null", nil, `text that means NULL, once for each; '' is the empty one (default: empty, NULL, and words such as N/A)`)
		flags.StringVar(&o.delimiter, "delimiter", "", "delimiter of the files (default: found out)")
		flags.StringVar(&o.header, "header", "auto", "whether the first line holds names: auto, yes or no")
		flags.IntVar(&o.options.SkipRows, "skip-rows", 0, "lines at the beginning of each file that are passed over (default: titles are found out)")
		flags.BoolVar(&o.options.KeepTotals, "keep-totals", false, "keep lines that add up others among the rows")
	}
	if use == "csv PATH" || use == "files PATH" || use == "sqlite FILE" {
		flags.StringVar(&o.dateOrder, "date-order", "auto", "what comes first in dates such as 03/04/2024, where a file does not tell: auto, day, month or year")
	}
	if use != "jsonl FILE" && use != "dbt PATH" {
		o.dbt.add(flags)
	}
	if use == "csv PATH" || use == "files PATH" || use == "sql-dump FILE" {
		flags.StringVar(&o.options.Encoding, "encoding", "", `encoding of the texts, such as "gb18030" (default: found out per file)`)
	}
	if use == "duckdb FILE" || use == "sqlite FILE" || use == "sql-dump FILE" {
		flags.BoolVar(&o.options.Views, "views", false, "make tables of what the views show")
	}
	return cmd
}

func (o *ingestOptions) complete() error {
	if o.name == "" {
		return fault.Invalid("name", "SOURCE_NAME_MISSING", "give the source a name: --name shop")
	}
	if o.name == demo.Name {
		return fault.Invalid("name", "SOURCE_NAME_TAKEN", "%q is the name of the demo warehouse: give another --name", demo.Name)
	}
	if o.delimiter != "" {
		r, size := utf8.DecodeRuneInString(o.delimiter)
		if o.delimiter == `\t` {
			r, size = '\t', len(o.delimiter)
		}
		if size != len(o.delimiter) {
			return fault.Invalid("delimiter", "DELIMITER_INVALID", "--delimiter is one character, such as ';' or '\\t'")
		}
		o.options.Delimiter = r
	}
	switch o.header {
	case "", "auto":
	case "yes":
		o.options.Header = ingest.HeaderYes
	case "no":
		o.options.Header = ingest.HeaderNo
	default:
		return fault.Invalid("header", "HEADER_INVALID", "--header is auto, yes or no")
	}
	switch o.dateOrder {
	case "", "auto":
	case "day":
		o.options.DateOrder = ingest.DateOrderDayFirst
	case "month":
		o.options.DateOrder = ingest.DateOrderMonthFirst
	case "year":
		o.options.DateOrder = ingest.DateOrderYearFirst
	default:
		return fault.Invalid("date_order", "DATE_ORDER_INVALID", "--date-order is auto, day, month or year")
	}
	if o.options.SkipRows < 0 {
		return fault.Invalid("skip_rows", "SKIP_ROWS_INVALID", "--skip-rows is a number of lines, 0 or more")
	}
	return nil
}

func runIngest(ctx context.Context, f *Factory, o *ingestOptions, path string, do ingestFunc) error {
	if err := o.complete(); err != nil {
		return err
	}
	if err := o.dbt.read(ctx); err != nil {
		return err
	}
	o.options.Described = o.dbt.described
	store, err := openStore(f)
	if err != nil {
		return err
	}
	bar := newBar(f)
	o.options.Progress, o.options.Reading = bar.step, bar.read
	report, err := do(ctx, store, o.name, path, o.options)
	bar.end()
	report.Problems = append(report.Problems, o.dbt.problems...)
	if err != nil {
		printProblemsOf(f, report)
		return err
	}
	if len(report.Tables) > maxTablesShown {
		printSums(f, report) // a warehouse has thousands of them
	} else {
		printReport(f, report)
	}
	printChanges(f, report)
	if report.Unread > 0 {
		fmt.Fprintf(f.IO.Out, "%s kept as %s written: %s\n", plural(report.Unread, "value or line is", "values and lines are"), map[bool]string{true: "it was", false: "they were"}[report.Unread == 1], f.command("sources unread", "", o.name))
	}
	if err := o.dbt.draft(f, o.name); err != nil {
		return err
	}
	return f.tellMade(o.name, plural(len(report.Tables), "table", "tables"))
}

// plural counts things by name.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// maxTablesShown is up to how many tables a report has a line for each.
const maxTablesShown = 100

// printChanges says what another ingest of the same source found.
func printChanges(f *Factory, report ingest.Report) {
	if c := report.Changes; c != nil {
		fmt.Fprintf(f.IO.Out, "%d tables are new, %d have changed, %d are gone, %d are as they were\n", c.Added, c.Changed, c.Removed, c.Same)
	}
}

// maxProblemsShown bounds what is printed of a report.
const maxProblemsShown = 50

func printReport(f *Factory, report ingest.Report) {
	rows := make([][]string, 0, len(report.Tables))
	for _, t := range report.Tables {
		skipped := ""
		if t.Skipped > 0 {
			skipped = fmt.Sprint(t.Skipped)
		}
		count := ""
		if t.Rows >= 0 {
			count = fmt.Sprint(t.Rows)
		}
		rows = append(rows, []string{t.Name.String(), count, skipped})
	}
	printReportTable(f, []string{"table", "rows", "skipped"}, rows)
	printProblemsOf(f, report)
}

// printReportTable prints rows of a name and numbers; nothing where there are none.
func printReportTable(f *Factory, titles []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	columns := make([]term.Column, len(titles))
	for i, title := range titles {
		columns[i] = term.Column{Title: title, Right: i > 0}
	}
	fmt.Fprint(f.IO.Out, term.Table(columns, rows, f.tableWidth(false), f.style()))
}

// printProblemsOf prints what was left out, or kept in another way.
func printProblemsOf(f *Factory, report ingest.Report) {
	for i, p := range report.Problems {
		if i == maxProblemsShown {
			fmt.Fprintf(f.IO.Err, "… %d more\n", len(report.Problems)-i)
			break
		}
		place := p.File
		if p.Line > 0 {
			place += fmt.Sprintf(":%d", p.Line)
			if p.Column > 0 {
				place += fmt.Sprintf(":%d", p.Column)
			}
		}
		if place != "" {
			place = term.Clean(place) + ": "
		}
		kind, begun := string(p.Kind), false
		f.sayAside(func(line string) string {
			if begun {
				return line
			}
			begun = true
			return f.style().Warn(kind) + strings.TrimPrefix(line, kind)
		}, kind+" "+place+term.Clean(p.Message))
	}
	if report.Dropped > 0 {
		fmt.Fprintf(f.IO.Err, "… and %d more that were not kept\n", report.Dropped)
	}
}
