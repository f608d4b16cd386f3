package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/answer"
	"github.com/dibrain/dibrain/internal/export"
	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// turnFlags are the flags that ask and chat share.
type turnFlags struct {
	source   string
	session  string
	timeZone string
	region   string
	agent    string
	limit    int
	verbose  bool
}

func (t *turnFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&t.source, "source", "", `source to ask, as "dibrain sources list" names it (default: config key source)`)
	flags.StringVar(&t.session, "session", "", "session to go on with (default: a new one)")
	flags.StringVar(&t.timeZone, "time-zone", "", `IANA time zone that "today" is read in (default: this machine's)`)
	flags.StringVar(&t.agent, "agent", "", "agent that an analysis works with (configuration key analysis.agents_file)")
	flags.StringVar(&t.region, "region", "", "")
	_ = flags.MarkHidden("region") // of a flag that is there; check says what to do instead
	flags.IntVar(&t.limit, "limit", defaultLimit, "rows of the table to print")
	flags.BoolVarP(&t.verbose, "verbose", "v", false, "also print what was understood, guard changes, next questions")
}

// turn makes the request for a question.
func (t *turnFlags) turn(question string) *routerv1.Turn {
	zone := t.timeZone
	if zone == "" {
		zone = localZone()
	}
	return &routerv1.Turn{
		Question:    question,
		Source:      t.source,
		SessionId:   t.session,
		UserContext: &commonv1.UserContext{TimeZone: zone},
		AgentId:     t.agent,
	}
}

// check refuses flags that no server could read.
func (t *turnFlags) check(f *Factory) error {
	if t.timeZone != "" && !run.ValidTimeZone(t.timeZone) {
		return badUsage("--time-zone: %q is no time zone that is known here: give an IANA name such as Asia/Singapore", t.timeZone)
	}
	if t.region != "" {
		return badUsage("--region: an answer is about the countries that its question names, and the flag never changed that. "+
			"Name the country in the question; %q puts tables of a country first", f.command("find", t.source, "--region "+shellWord(t.region), "…"))
	}
	return notNegative("--limit", t.limit)
}

// notNegative refuses a number below 0 of a flag that counts.
func notNegative(flag string, n int) error {
	if n < 0 {
		return badUsage("%s: %d is below 0", flag, n)
	}
	return nil
}

// localZone is the IANA name of this machine's zone; "" (UTC) when it has none, or
// one that is no IANA name, such as a POSIX rule in TZ.
func localZone() string {
	zone := strings.TrimPrefix(os.Getenv("TZ"), ":")
	if zone == "" {
		if link, err := os.Readlink("/etc/localtime"); err == nil {
			_, zone, _ = strings.Cut(link, "zoneinfo/")
		}
	}
	if !run.ValidTimeZone(zone) {
		return ""
	}
	return zone
}

type askOptions struct {
	turnFlags
	table     tableFlags
	sqlOnly   bool
	export    string // file; empty: none
	exporting export.Options
	remote    remoteFlags
	question  string
	again     string // run whose statement is run again; empty: none
	maxSecond int
}

func newAskCommand(f *Factory) *cobra.Command {
	o := &askOptions{}
	cmd := &cobra.Command{
		Use:   `ask "QUESTION"`,
		Short: "Ask a question in English or Chinese and print the answer",
		Long: `Ask a question in English or Chinese. The answer comes as a sentence with the
number, the rows, a small chart, the Presto SQL, the tables with a reason each,
and what to watch out for.

The first question to the demo makes the demo warehouse in the data directory.
"-" reads the question from standard input.

` + askExitCodes,
		Example: `  dibrain ask "What was the daily GMV in Singapore over the past 30 days?"
  dibrain ask "过去30天新加坡每天的GMV是多少？"
  dibrain ask --source shop "How many customers are there in each city?"
  dibrain ask --sql-only "top 5 categories by GMV last month"
  dibrain ask "GMV by category last month" --export gmv.xlsx`,
		Args: questionArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			question, err := questionFrom(f.IO.In, args)
			if err != nil {
				return err
			}
			o.question = question
			return runAsk(cmd.Context(), f, o)
		},
	}
	o.add(cmd)
	o.addOutput(cmd)
	cmd.Flags().BoolVar(&o.sqlOnly, "sql-only", false, "write the SQL and do not run it")
	return cmd
}

// addOutput adds the flags that say where the answer comes from and how it is shown.
func (o *askOptions) addOutput(cmd *cobra.Command) {
	o.remote.add(cmd)
	o.table.add(cmd, "print the whole typed answer as JSON")
	cmd.Flags().StringVar(&o.export, "export", "", "also write the answer into `FILE`; its ending says how: "+export.Endings)
	cmd.Flags().BoolVar(&o.exporting.Force, "force", false, "let --export replace a file that is there")
	cmd.Flags().BoolVar(&o.exporting.BOM, "bom", false, "begin an exported .csv or .tsv with the mark by which Excel knows UTF-8")
	cmd.Flags().IntVar(&o.maxSecond, "timeout", 0, "seconds after which the answer comes with what there is (default: the server's)")
}

// defaultPage is what the server sends unasked, maxPage the most that it sends.
const (
	defaultPage = 100
	maxPage     = 10_000
)

// defaultLimit is how many rows of a result are printed unasked.
const defaultLimit = 40

// maxQuestionBytes bounds what is read as a question; the contract's own bound
// is lower and has its own error.
const maxQuestionBytes = 4 << 20

func questionArgs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fault.Invalid("question", "QUESTION_EMPTY", `There is no question. Write it in quotes: dibrain ask "How many orders were there yesterday?"`)
	}
	return nil
}

// questionFrom joins the arguments; a lone "-" means standard input.
func questionFrom(in io.Reader, args []string) (string, error) {
	text := strings.Join(args, " ")
	if text == "-" {
		read, err := io.ReadAll(io.LimitReader(in, maxQuestionBytes))
		if err != nil {
			return "", fmt.Errorf("read the question: %w", err)
		}
		text = string(read)
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return "", questionArgs(nil, nil)
	}
	return text, nil
}

func runAsk(ctx context.Context, f *Factory, o *askOptions) error {
	if err := errors.Join(o.check(f), checkTimeout(o.maxSecond), o.checkExport()); err != nil {
		return err
	}
	cfg, err := f.Config()
	if err != nil {
		return err
	}
	services, err := openServices(ctx, f, o.remote, o.source)
	if err != nil {
		return err
	}
	defer services.Close()
	if o.source == "" && o.session == "" && o.again == "" {
		tellSource(f, services, cfg.Source)
	}
	turn := o.turn(o.question)
	turn.MaxExecuteSecond, turn.RunAgain = int32(o.maxSecond), o.again
	if o.limit > defaultPage { // fewer rows to print are no reason to fetch, and to draw, fewer
		turn.PageSize = int32(min(o.limit, maxPage))
	}
	if o.sqlOnly {
		turn.FinalIntent = routerv1.FinalIntent_FINAL_INTENT_GENERATE_SQL
	}
	steps, at := newStepLine(f), f.Clock()
	result, err := runTurn(ctx, services.Router, turn, steps)
	steps.clear()
	if err != nil {
		return &outcomeError{nearOf(ctx, services, o.session, err)}
	}
	if err := printAnswer(ctx, f, services, o, result); err != nil {
		return err
	}
	if o.table.asTable() {
		if result, err = choose(ctx, f, services, o, turn, result); err != nil {
			return err
		}
	}
	code := exitOf(outcomeOf(result))
	if o.export != "" {
		e := exporter{services: services, config: cfg.Export, options: o.exporting, path: o.export, question: o.question, at: at}
		// The error stream has what is said of the file, so that the other stays the answer's.
		err := e.write(ctx, f, f.IO.Err, result)
		if err != nil && (code == exitOK || fault.ReasonOf(err) != export.ReasonNoResult) {
			return err
		}
		if err != nil {
			fmt.Fprintln(f.IO.Err, f.style().Warn(fmt.Sprintf("! %s is not written: the answer has no result", o.export)))
		}
	}
	if code != exitOK {
		return exitWith(code)
	}
	return nil
}

// checkExport refuses, before anything is asked, a file that could not be written.
func (o *askOptions) checkExport() error {
	switch {
	case o.export != "":
		if o.sqlOnly {
			return badUsage("--export writes a result and --sql-only has none: leave one of them out")
		}
		return export.Check(o.export, o.exporting)
	case o.exporting.Force || o.exporting.BOM:
		return badUsage("--force and --bom say how --export writes its file: give --export FILE too")
	}
	return nil
}

// printAnswer prints an answer as it was asked for: for a person; whole, as JSON; or the
// rows of its result alone, all of them, with the sentence on the error stream.
func printAnswer(ctx context.Context, f *Factory, s *services, o *askOptions, a *routerv1.Answer) error {
	if o.table.asJSON() {
		return writeJSON(f.IO.Out, &routerv1.AskResponse{Answer: a})
	}
	if o.table.asTable() {
		answer.Print(f.IO.Out, a, f.answerOptions(o.limit, o.verbose, o.table.wide))
		return nil
	}
	fmt.Fprintln(f.IO.Err, term.Clean(a.GetText()))
	page := answer.Page(a)
	if len(page.GetColumns()) == 0 {
		return nil
	}
	if page.GetTruncated() {
		fmt.Fprintln(f.IO.Err, f.style().Warn(moreThanLimit))
	}
	if o.table.format == "csv" {
		_, err := writeCSV(ctx, s, f.IO.Out, page)
		return err
	}
	var rows [][]string
	if _, err := eachRow(ctx, s, page, answer.Shown, func(row []string) error { rows = append(rows, row); return nil }); err != nil {
		return err
	}
	return o.table.print(f, answer.Columns(page), rows)
}

// outcomeOf is what an answer says that came of the question. A server of an earlier
// version does not say.
func outcomeOf(a *routerv1.Answer) run.Outcome {
	if a.GetOutcome() == routerv1.Outcome_OUTCOME_UNSPECIFIED {
		if a.GetAskHuman() {
			return run.OutcomeAsked
		}
		return run.OutcomeAnswered
	}
	return run.Outcome(strings.ToLower(strings.TrimPrefix(a.GetOutcome().String(), "OUTCOME_")))
}

// maxTimeout is the most seconds that the contract allows a turn (Turn.max_execute_second).
const maxTimeout = 3600

func checkTimeout(seconds int) error {
	if seconds > maxTimeout {
		return badUsage("--timeout %d: give at most %d seconds", seconds, maxTimeout)
	}
	return notNegative("--timeout", seconds)
}
