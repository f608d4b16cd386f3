package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/fault"

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
	response, err := services.FindData.DiscoverUnary(ctx, &findatav1.DiscoverUnaryRequest{Query: &findatav1.DiscoverQuery{
		Source: o.source, UserQuery: question, MaxTables: int32(o.limit),
		UserContext:       &commonv1.UserContext{Region: o.region, TimeZone: localZone()},
		SummaryLevel:      level,
		KnowledgeBaseList: o.bases,
	}})
	if err != nil {
		return err
	}
	result := response.GetResult()
	if o.table.asJSON() {
		return writeJSON(f.IO.Out, result)
	}
	if q := result.GetQuestion(); q != nil && q.GetText() != "" {
		fmt.Fprintln(f.IO.Out, f.style().Bold(term.Clean(q.GetText())))
		for i, option := range q.GetOptions() {
			fmt.Fprintf(f.IO.Out, "  %d) %s  %s\n", i+1, term.Clean(option.GetLabel()), f.style().Dim(term.Clean(option.GetDescription())))
		}
		return nil
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
