package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/fault"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

func newReviewCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "review",
		Short: "Questions that went wrong, for a curator to mend",
		Long: `Questions for which nothing was found, that were asked back, or whose tables people
called wrong wait here, most asked first, with what was read in them. A curator makes a
synonym, a glossary entry, a verified query or an entry of the semantic layer of them,
or dismisses them. Each change is shown before it is kept: give --keep to keep it.
Who asked is not kept.`,
	}
	cmd.AddCommand(newReviewListCommand(f), newReviewSynonymCommand(f), newReviewTermCommand(f), newReviewQueryCommand(f), newReviewLayerCommand(f), newReviewDismissCommand(f))
	return cmd
}

var reviewKindFlags = map[string]findatav1.ReviewKind{
	"": findatav1.ReviewKind_REVIEW_KIND_UNSPECIFIED, "declined": findatav1.ReviewKind_REVIEW_KIND_DECLINED, "unsure": findatav1.ReviewKind_REVIEW_KIND_UNSURE,
	"rejected": findatav1.ReviewKind_REVIEW_KIND_REJECTED, "candidate": findatav1.ReviewKind_REVIEW_KIND_CANDIDATE,
}

var reviewStatusFlags = map[string]findatav1.ReviewStatus{
	"open": findatav1.ReviewStatus_REVIEW_STATUS_OPEN, "resolved": findatav1.ReviewStatus_REVIEW_STATUS_RESOLVED, "dismissed": findatav1.ReviewStatus_REVIEW_STATUS_DISMISSED,
}

func newReviewListCommand(f *Factory) *cobra.Command {
	var table tableFlags
	var kind, status string
	request := &findatav1.ListReviewRequest{}
	cmd := exampleCommand(f, "list", "List what waits for a curator, and what people ask and do not find", cobra.NoArgs, &request.Source,
		func(cmd *cobra.Command, s *services, _ []string) error {
			var ok bool
			if request.Kind, ok = reviewKindFlags[kind]; !ok {
				return badUsage("--kind is %q: use declined, unsure, rejected or candidate", kind)
			}
			if request.Status, ok = reviewStatusFlags[status]; !ok {
				return badUsage("--status is %q: use open, resolved or dismissed", status)
			}
			response, err := s.FindData.ListReview(cmd.Context(), request)
			if err != nil {
				return err
			}
			if table.asJSON() {
				return writeJSON(f.IO.Out, response)
			}
			if len(response.GetEntries()) == 0 {
				table.remark(f, "nothing waits for a curator")
				return nil
			}
			if err := table.print(f, reviewColumns, reviewRows(response.GetEntries())); err != nil || !table.asTable() {
				return err
			}
			printMissingWords(f.IO.Out, response.GetMissingWords())
			return nil
		})
	cmd.Flags().StringVar(&kind, "kind", "", "declined, unsure, rejected or candidate (default: all)")
	cmd.Flags().StringVar(&status, "status", "open", "open, resolved or dismissed")
	cmd.Flags().Int32Var(&request.PageSize, "limit", 50, "most entries to list")
	table.add(cmd, "print the entries as JSON")
	return cmd
}

var reviewColumns = []term.Column{{Title: "id", Whole: true}, {Title: "kind", Whole: true}, {Title: "times", Right: true}, {Title: "question"}, {Title: "not known"}, {Title: "tables"}}

func reviewRows(entries []*findatav1.ReviewEntry) [][]string {
	rows := make([][]string, 0, len(entries))
	for _, e := range entries {
		id, text := strconv.FormatInt(e.GetId(), 10), e.GetQuestion()
		if e.GetKind() == findatav1.ReviewKind_REVIEW_KIND_CANDIDATE {
			id, text = "", e.GetSql()
		}
		if e.GetResolution() != "" {
			text += " → " + e.GetResolution()
		}
		tables := e.GetTables()
		if len(tables) == 0 {
			tables = e.GetOptions()
		}
		rows = append(rows, []string{
			id, strings.ToLower(strings.TrimPrefix(e.GetKind().String(), "REVIEW_KIND_")), strconv.FormatInt(e.GetTimes(), 10),
			term.Clean(text), term.Clean(strings.Join(e.GetMissingWords(), ", ")), term.Clean(strings.Join(tables[:min(len(tables), 2)], ", ")),
		})
	}
	return rows
}

func printMissingWords(out io.Writer, words []*findatav1.MissingWord) {
	if len(words) == 0 {
		return
	}
	var said []string
	for _, w := range words {
		said = append(said, fmt.Sprintf("%s (%d)", term.Clean(w.GetWord()), w.GetTimes()))
	}
	fmt.Fprintf(out, "\nWords that people ask for and no table knows: %s\n", strings.Join(said, ", "))
}

// reviewID reads the id of an entry; "-" is none.
func reviewID(f *Factory, source, arg string) (int64, error) {
	if arg == "-" {
		return 0, nil
	}
	id, err := strconv.ParseInt(arg, 10, 64)
	if err != nil || id <= 0 {
		return 0, badUsage("%q is no id of an entry: %s shows them", arg, f.command("review list", source))
	}
	return id, nil
}

// resolveCommand is a command that makes something of an entry.
func resolveCommand(f *Factory, use, short string, args cobra.PositionalArgs, fill func(r *findatav1.ResolveReviewRequest, args []string)) (*cobra.Command, *findatav1.ResolveReviewRequest) {
	request := &findatav1.ResolveReviewRequest{}
	var keep bool
	cmd := exampleCommand(f, use, short, args, &request.Source, func(cmd *cobra.Command, s *services, args []string) error {
		var err error
		if request.Id, err = reviewID(f, request.GetSource(), args[0]); err != nil {
			return err
		}
		fill(request, args[1:])
		request.DryRun = !keep
		response, err := s.FindData.ResolveReview(cmd.Context(), request)
		if err != nil {
			return err
		}
		return printResolved(f, response)
	})
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the change; without it, it is only shown")
	return cmd, request
}

func printResolved(f *Factory, response *findatav1.ResolveReviewResponse) error {
	printDiff(f.IO.Out, response.GetDiff())
	if response.GetKept() {
		fmt.Fprintln(f.IO.Out, "kept")
		return nil
	}
	fmt.Fprintln(f.IO.Out, "not kept: give --keep to keep it")
	return nil
}

func newReviewSynonymCommand(f *Factory) *cobra.Command {
	var mart string
	cmd, _ := resolveCommand(f, "synonym ID WORD WORD...", "Words that mean the same, of an entry (- for none)", cobra.MinimumNArgs(3),
		func(r *findatav1.ResolveReviewRequest, args []string) {
			r.Resolution = &findatav1.ResolveReviewRequest_Synonym{Synonym: &findatav1.ReviewSynonym{Words: args, Mart: mart}}
		})
	cmd.Flags().StringVar(&mart, "mart", "", "mart that they hold for (default: all)")
	return cmd
}

func newReviewTermCommand(f *Factory) *cobra.Command {
	word := &findatav1.ReviewTerm{}
	cmd, _ := resolveCommand(f, "term ID TERM DEFINITION", "A business word with its meaning, of an entry (- for none)", cobra.ExactArgs(3),
		func(r *findatav1.ResolveReviewRequest, args []string) {
			word.Term, word.Definition = args[0], args[1]
			r.Resolution = &findatav1.ResolveReviewRequest_Term{Term: word}
		})
	cmd.Flags().StringArrayVar(&word.Synonyms, "synonym", nil, "another word for it; may be given several times")
	cmd.Flags().StringVar(&word.Mart, "mart", "", "mart that it belongs to (default: none)")
	return cmd
}

func newReviewDismissCommand(f *Factory) *cobra.Command {
	request := &findatav1.ResolveReviewRequest{Resolution: &findatav1.ResolveReviewRequest_Dismissed{Dismissed: true}}
	return exampleCommand(f, "dismiss ID", "Nothing is to be made of an entry", cobra.ExactArgs(1), &request.Source,
		func(cmd *cobra.Command, s *services, args []string) error {
			var err error
			if request.Id, err = reviewID(f, request.GetSource(), args[0]); err != nil {
				return err
			}
			response, err := s.FindData.ResolveReview(cmd.Context(), request)
			if err != nil {
				return err
			}
			return printResolved(f, response)
		})
}

// newReviewQueryCommand makes a verified query of an entry or of a candidate.
func newReviewQueryCommand(f *Factory) *cobra.Command {
	var question string
	var keep bool
	request := &text2sqlv1.AddExampleRequest{}
	cmd := exampleCommand(f, "query ID SQL", "A verified query, of an entry's question (- with --question for a candidate)", cobra.ExactArgs(2), &request.Source,
		func(cmd *cobra.Command, s *services, args []string) error {
			id, err := reviewID(f, request.GetSource(), args[0])
			if err != nil {
				return err
			}
			request.Question, request.Sql = question, strings.TrimSuffix(strings.TrimSpace(args[1]), ";")
			if id > 0 && question == "" {
				if request.Question, err = reviewQuestion(f, cmd, s, request.GetSource(), id); err != nil {
					return err
				}
			}
			if request.Question == "" {
				return badUsage("--question is missing: give the question that the SQL answers")
			}
			fmt.Fprintf(f.IO.Out, "+ question: %s\n+ sql: %s\n", term.Clean(request.Question), term.Clean(request.Sql))
			if !keep {
				fmt.Fprintln(f.IO.Out, "not kept: give --keep to keep it")
				return nil
			}
			added, err := s.Text2SQL.AddExample(cmd.Context(), request)
			if err != nil {
				return err
			}
			if id > 0 {
				if _, err := s.FindData.ResolveReview(cmd.Context(), &findatav1.ResolveReviewRequest{Source: request.GetSource(), Id: id,
					Resolution: &findatav1.ResolveReviewRequest_Elsewhere{Elsewhere: "verified query " + added.GetExample().GetExampleId()}}); err != nil {
					return err
				}
			}
			fmt.Fprintf(f.IO.Out, "kept as %s (%s)\n", added.GetExample().GetExampleId(), added.GetExample().GetStatus())
			return nil
		})
	cmd.Flags().StringVar(&question, "question", "", "question that the SQL answers (default: that of the entry)")
	cmd.Flags().BoolVar(&keep, "keep", false, "keep it; without it, it is only shown")
	return cmd
}

// reviewQuestion is the question of an entry.
func reviewQuestion(f *Factory, cmd *cobra.Command, s *services, source string, id int64) (string, error) {
	const page = 500
	request := &findatav1.ListReviewRequest{Source: source, PageSize: page}
	for {
		response, err := s.FindData.ListReview(cmd.Context(), request)
		if err != nil {
			return "", err
		}
		for _, e := range response.GetEntries() {
			if e.GetId() == id {
				return e.GetQuestion(), nil
			}
		}
		if request.PageToken = response.GetNextPageToken(); request.PageToken == "" {
			return "", fault.NotFound("REVIEW_UNKNOWN", "there is no open entry %d in the review queue: list them with `%s`", id, f.command("review list", source))
		}
	}
}

// printDiff prints a change line by line.
func printDiff(out io.Writer, diff string) {
	for line := range strings.Lines(diff) {
		fmt.Fprintln(out, term.Clean(strings.TrimRight(line, "\n")))
	}
}
