package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/answer"
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
	json    bool
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
	cmd.Flags().StringVar(&o.region, "region", "", "your country, such as SG, for questions that name none")
	cmd.Flags().IntVar(&o.limit, "limit", 10, "most tables to print")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the result as JSON")
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
	services, err := openServices(ctx, f, o.remote, o.source)
	if err != nil {
		return err
	}
	defer services.Close()
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
	if o.json {
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
		fmt.Fprintln(f.IO.Out, term.Clean(result.GetAnswer()))
		return nil
	}
	fmt.Fprint(f.IO.Out, candidateTable(f, result.GetRelatedTables(), o.verbose))
	printFound(f, result, o.level != "")
	return nil
}

func newCatalogCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{Use: "catalog", Short: "Look at what is known of tables"}
	cmd.AddCommand(newCatalogShowCommand(f), newCatalogListCommand(f))
	return cmd
}

func newCatalogShowCommand(f *Factory) *cobra.Command {
	var remote remoteFlags
	var source string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show TABLE",
		Short: "Print a table: description, columns, keys, owner, freshness",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			services, err := openServices(cmd.Context(), f, remote, source)
			if err != nil {
				return err
			}
			defer services.Close()
			response, err := services.Catalog.DescribeTables(cmd.Context(), &findatav1.DescribeTablesRequest{Source: source, Tables: args})
			if err != nil {
				return err
			}
			if unknown := response.GetUnknownTables(); len(unknown) > 0 {
				hint := "dibrain catalog list shows all"
				if near := unknown[0].GetNear(); len(near) > 0 {
					hint = "near it: " + strings.Join(near, ", ")
				}
				return fault.NotFound("TABLE_UNKNOWN", "there is no table %s; %s", unknown[0].GetName(), hint)
			}
			if asJSON {
				return writeJSON(f.IO.Out, response)
			}
			for _, table := range response.GetTables() {
				printTable(f, table)
			}
			return nil
		},
	}
	remote.add(cmd)
	cmd.Flags().StringVar(&source, "source", "", "source of the table (default: config key source)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the table as JSON")
	return cmd
}

// maxSamplesShown bounds the sample values printed for a column.
const maxSamplesShown = 5

func printTable(f *Factory, t *commonv1.TableDetail) {
	out := f.IO.Out
	fmt.Fprintln(out, f.style().Bold(answer.TableName(t.GetRef())))
	if t.GetDescription() != "" {
		fmt.Fprintln(out, term.Clean(t.GetDescription()))
	}
	facts := [][2]string{{"mart", t.GetMart()}, {"layer", t.GetLayer()}, {"country", t.GetCountry()}, {"grain", t.GetGrain()}, {"owner", t.GetOwner()}}
	if t.GetRowCount() >= 0 {
		facts = append(facts, [2]string{"rows", fmt.Sprint(t.GetRowCount())})
	}
	if t.GetUpdatedAt() != nil {
		facts = append(facts, [2]string{"updated", t.GetUpdatedAt().AsTime().Format("2006-01-02 15:04 MST")})
	}
	if t.GetSuccessor() != "" {
		facts = append(facts, [2]string{"deprecated, use", t.GetSuccessor()})
	}
	for _, fact := range facts {
		if fact[1] != "" {
			fmt.Fprintf(out, "  %s: %s\n", fact[0], term.Clean(fact[1]))
		}
	}
	rows := make([][]string, 0, len(t.GetColumns()))
	for _, c := range t.GetColumns() {
		role := ""
		switch {
		case c.GetPrimaryKey():
			role = "key"
		case c.GetPartition():
			role = "partition"
		}
		samples := c.GetSampleValues()
		rows = append(rows, []string{c.GetName(), c.GetType(), role, c.GetComment(), strings.Join(samples[:min(len(samples), maxSamplesShown)], ", ")})
	}
	fmt.Fprintln(out)
	fmt.Fprint(out, term.Table([]term.Column{{Title: "column"}, {Title: "type"}, {Title: "role"}, {Title: "meaning"}, {Title: "values"}}, rows, f.IO.Width(), f.style()))
	for _, key := range t.GetForeignKeys() {
		fmt.Fprintf(out, "%s → %s (%s)\n", strings.Join(key.GetColumns(), ", "), answer.TableName(key.GetRefTable()), strings.Join(key.GetRefColumns(), ", "))
	}
}

func newCatalogListCommand(f *Factory) *cobra.Command {
	var remote remoteFlags
	var asJSON bool
	request := &findatav1.ListTablesRequest{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tables of a source",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			services, err := openServices(cmd.Context(), f, remote, request.GetSource())
			if err != nil {
				return err
			}
			defer services.Close()
			response, err := services.Catalog.ListTables(cmd.Context(), request)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(f.IO.Out, response)
			}
			rows := make([][]string, 0, len(response.GetTables()))
			for _, t := range response.GetTables() {
				rows = append(rows, []string{answer.TableName(t.GetRef()), t.GetMart(), fmt.Sprint(t.GetRowCount()), t.GetDescription()})
			}
			fmt.Fprint(f.IO.Out, term.Table([]term.Column{{Title: "table"}, {Title: "mart"}, {Title: "rows", Right: true}, {Title: "description"}}, rows, f.IO.Width(), f.style()))
			if left := int(response.GetTotal()) - len(rows); left > 0 {
				fmt.Fprintf(f.IO.Out, "… %d more: narrow it with --contains or --mart, or raise --limit\n", left)
			}
			return nil
		},
	}
	remote.add(cmd)
	cmd.Flags().StringVar(&request.Source, "source", "", "source to list (default: config key source)")
	cmd.Flags().StringVar(&request.NameContains, "contains", "", "only names that contain this text")
	cmd.Flags().StringVar(&request.Mart, "mart", "", "only tables of this mart")
	cmd.Flags().Int32Var(&request.PageSize, "limit", 100, "most tables to list")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the tables as JSON")
	return cmd
}
