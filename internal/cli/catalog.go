package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/answer"
	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/fault"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
)

func newCatalogCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{Use: "catalog", Short: "Look at what is known of tables"}
	cmd.AddCommand(newCatalogShowCommand(f), newCatalogListCommand(f), newCatalogJoinsCommand(f))
	return cmd
}

func newCatalogShowCommand(f *Factory) *cobra.Command {
	var remote remoteFlags
	var source string
	var format tableFlags
	cmd := &cobra.Command{
		Use:   "show TABLE",
		Short: "Print a table: columns, keys, partitions, freshness, owner, use, what it is joined with, what is like it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			services, err := openServices(cmd.Context(), f, remote, source)
			if err != nil {
				return err
			}
			defer services.Close()
			tellDefault(f, services, source)
			response, err := services.Catalog.DescribeTables(cmd.Context(), &findatav1.DescribeTablesRequest{Source: source, Tables: args})
			if err != nil {
				return err
			}
			if unknown := response.GetUnknownTables(); len(unknown) > 0 {
				hint := f.command("catalog list", source) + " shows all"
				if near := unknown[0].GetNear(); len(near) > 0 {
					hint = "near it: " + strings.Join(near, ", ")
				}
				return fault.NotFound("TABLE_UNKNOWN", "there is no table %s; %s", unknown[0].GetName(), hint)
			}
			if format.asJSON() {
				return writeJSON(f.IO.Out, response)
			}
			if !format.asTable() { // for a file or a program: the columns alone
				titles, rows := columnsOf(response.GetTables()[0])
				return format.print(f, titles, rows)
			}
			for _, table := range response.GetTables() {
				like, err := services.FindData.SimilarTables(cmd.Context(), &findatav1.SimilarTablesRequest{
					Source: source, Table: answer.TableName(table.GetRef()), MaxTables: maxLikeShown,
				})
				if err != nil {
					return err
				}
				printTable(f, table, like.GetTables(), format)
			}
			return nil
		},
	}
	remote.add(cmd)
	cmd.Flags().StringVar(&source, "source", "", "source of the table (default: config key source)")
	format.add(cmd, "print the table as JSON")
	completeTables(f, cmd, &remote, &source)
	return cmd
}

func newCatalogListCommand(f *Factory) *cobra.Command {
	var remote remoteFlags
	var table tableFlags
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
			tellDefault(f, services, request.GetSource())
			response, err := services.Catalog.ListTables(cmd.Context(), request)
			if err != nil {
				return err
			}
			if table.asJSON() {
				return writeJSON(f.IO.Out, response)
			}
			rows := make([][]string, 0, len(response.GetTables()))
			for _, t := range response.GetTables() {
				rows = append(rows, []string{answer.TableName(t.GetRef()), t.GetMart(), counted(t.GetRowCount()), t.GetDescription()})
			}
			if err := table.print(f, []term.Column{{Title: "table", Whole: true}, {Title: "mart"}, {Title: "rows", Right: true}, {Title: "description"}}, rows); err != nil {
				return err
			}
			if left := int(response.GetTotal()) - len(rows); left > 0 {
				table.remark(f, "… %d more: narrow it with --contains or --mart, or raise --limit", left)
			}
			return nil
		},
	}
	remote.add(cmd)
	cmd.Flags().StringVar(&request.Source, "source", "", "source to list (default: config key source)")
	cmd.Flags().StringVar(&request.NameContains, "contains", "", "only names that contain this text")
	cmd.Flags().StringVar(&request.Mart, "mart", "", "only tables of this mart")
	cmd.Flags().Int32Var(&request.PageSize, "limit", 100, "most tables to list")
	table.add(cmd, "print the tables as JSON")
	return cmd
}
