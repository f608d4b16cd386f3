package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
)

type findOptions struct {
	remote  remoteFlags
	source  string
	region  string
	limit   int
	table   tableFlags
	verbose bool
	why     []string
	level   string
	bases   []string
	reply   string
}

func newFindCommand(f *Factory) *cobra.Command {
	o := &findOptions{}
	cmd := &cobra.Command{
		Use:   `find "QUESTION"`,
		Short: "Find the tables for a question, with reasons",
		Args:  questionArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			question, err := questionFrom(f.IO.In, args)
			if err != nil {
				return err
			}
			return runFind(cmd.Context(), f, o, question)
		},
	}
	o.remote.add(cmd)
	cmd.Flags().StringVar(&o.source, "source", "", "source to search (default: config key source)")
	cmd.Flags().StringVar(&o.region, "region", "", "your country, such as SG: its tables come first where the question names none")
	cmd.Flags().IntVar(&o.limit, "limit", 10, "most tables to find; those that they are joined with are printed beside them")
	o.table.add(cmd, "print the result as JSON")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "also print scores, what they are made of, and folded variants")
	cmd.Flags().StringArrayVar(&o.why, "why", nil, "explain why this table is there or not; may be repeated, up to five times")
	cmd.Flags().StringVar(&o.level, "summary", "", "also print a summary: short, full or expert")
	cmd.Flags().StringVar(&o.reply, "reply", "", "answer to what was asked back: the number of an option, or words")
	cmd.Flags().StringSliceVar(&o.bases, "knowledge", nil, "knowledge bases to ask beside the tables (default: all)")
	return cmd
}

// summaryLevels are the values of --summary.
var summaryLevels = map[string]findatav1.SummaryLevel{
	"": findatav1.SummaryLevel_SUMMARY_LEVEL_UNSPECIFIED, "short": findatav1.SummaryLevel_SUMMARY_LEVEL_SHORT,
	"full": findatav1.SummaryLevel_SUMMARY_LEVEL_FULL, "expert": findatav1.SummaryLevel_SUMMARY_LEVEL_EXPERT,
}

func runFind(ctx context.Context, f *Factory, o *findOptions, question string) error {
	level, ok := summaryLevels[o.level]
	if !ok {
		return fault.Invalid("summary", "SUMMARY_UNKNOWN", "--summary is %q: use short, full or expert", o.level)
	}
	if err := notNegative("--limit", o.limit); err != nil {
		return err
	}
	services, err := openServices(ctx, f, o.remote, o.source)
	if err != nil {
		return err
	}
	defer services.Close()
	tellDefault(f, services, o.source)
	if len(o.why) > 0 {
		return runWhy(ctx, f, services, o, question)
	}
	query := &findatav1.DiscoverQuery{
		Source: o.source, UserQuery: question, MaxTables: int32(o.limit),
		UserContext:        &commonv1.UserContext{Region: o.region, TimeZone: localZone()},
		SummaryLevel:       level,
		KnowledgeBaseList:  o.bases,
		ClarificationReply: o.reply,
	}
	result, err := discoverTables(ctx, f, services, o, query)
	if err != nil || result == nil {
		return err
	}
	if o.table.asJSON() {
		return writeJSON(f.IO.Out, result)
	}
	if len(result.GetRelatedTables()) == 0 {
		o.table.remark(f, "%s", term.Clean(result.GetAnswer()))
		return nil
	}
	if err := printCandidates(f, result.GetRelatedTables(), o); err != nil || !o.table.asTable() {
		return err
	}
	printFound(f, result, o.level != "")
	return nil
}

// discoverTables asks find data. What it asks back is printed, and answered by the key that
// a person at a terminal presses; nil: it is left, and --reply answers it the next time.
func discoverTables(ctx context.Context, f *Factory, s *services, o *findOptions, query *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
	for {
		response, err := s.FindData.DiscoverUnary(ctx, &findatav1.DiscoverUnaryRequest{Query: query})
		if err != nil {
			return nil, err
		}
		result := response.GetResult()
		q := result.GetQuestion()
		if o.table.asJSON() || q.GetText() == "" {
			return result, nil
		}
		fmt.Fprintln(f.IO.Out, f.style().Bold(term.Clean(q.GetText())))
		for i, option := range q.GetOptions() {
			fmt.Fprintf(f.IO.Out, "  %d) %s  %s\n", i+1, term.Clean(option.GetLabel()), f.style().Dim(term.Clean(option.GetDescription())))
		}
		option, err := pressed(f, q.GetOptions(), lang.Detect(q.GetText()) == lang.Chinese)
		if err != nil || option == nil {
			return nil, err
		}
		query.ClarificationReply, query.ChosenOptionId = "", option.GetId()
	}
}
