package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/fault"

	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

func newExamplesCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "examples",
		Short: "Verified queries: questions with an approved SQL, which answers them first",
		Long: `Verified queries are questions with the SQL that answers them, approved by a
curator. A question that is the same, or that differs only in numbers, dates and
values which the SQL shows, is answered by that SQL, and the answer says so.`,
	}
	cmd.AddCommand(newExamplesAddCommand(f), newExamplesListCommand(f), newExamplesApproveCommand(f),
		newExamplesRemoveCommand(f), newExamplesCheckCommand(f))
	return cmd
}

// exampleCommand is a command over the verified queries of one source.
func exampleCommand(f *Factory, use, short string, args cobra.PositionalArgs, source *string, do func(cmd *cobra.Command, s *services, args []string) error) *cobra.Command {
	var remote remoteFlags
	cmd := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			services, err := openServices(cmd.Context(), f, remote, *source)
			if err != nil {
				return err
			}
			defer services.Close()
			return do(cmd, services, args)
		},
	}
	remote.add(cmd)
	cmd.Flags().StringVar(source, "source", "", "source of the queries (default: config key source)")
	return cmd
}

func newExamplesAddCommand(f *Factory) *cobra.Command {
	var asJSON bool
	var file string
	request := &text2sqlv1.AddExampleRequest{}
	cmd := exampleCommand(f, "add QUESTION [SQL]", "Store a question with its SQL: approved for curators, a proposal for others", cobra.RangeArgs(1, 2), &request.Source,
		func(cmd *cobra.Command, s *services, args []string) error {
			request.Question = args[0]
			switch {
			case len(args) == 2 && file != "":
				return fault.Invalid("--file", "SQL_TWICE", "The SQL is given twice: as an argument and with --file. Give one of them.")
			case len(args) == 2:
				request.Sql = args[1]
			case file == "":
				return fault.Invalid("SQL", "SQL_MISSING", "The SQL is missing: give it as the second argument, or its file with --file (- is standard input).")
			default:
				text, err := readExample(f, file)
				if err != nil {
					return err
				}
				request.Sql = text
			}
			response, err := s.Text2SQL.AddExample(cmd.Context(), request)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(f.IO.Out, response)
			}
			fmt.Fprintf(f.IO.Out, "%s %s\n", response.GetExample().GetExampleId(), response.GetExample().GetStatus())
			return nil
		})
	cmd.Flags().StringVar(&file, "file", "", "file with the SQL; - is standard input")
	cmd.Flags().StringVar(&request.Mart, "mart", "", "mart that it belongs to")
	cmd.Flags().BoolVar(&request.ProposeOnly, "propose", false, "only propose it, for a curator to approve")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was stored as JSON")
	return cmd
}

// maxExampleBytes bounds a file with a SQL, as the contract does.
const maxExampleBytes = 64 << 10

func readExample(f *Factory, file string) (string, error) {
	in := f.IO.In
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return "", fault.Invalid("--file", "FILE_UNREADABLE", "The file cannot be read: %v.", err)
		}
		defer func() { _ = opened.Close() }()
		in = opened
	}
	text, err := io.ReadAll(io.LimitReader(in, maxExampleBytes+1))
	if err != nil {
		return "", fault.Invalid("--file", "FILE_UNREADABLE", "The SQL cannot be read: %v.", err)
	}
	if len(text) > maxExampleBytes {
		return "", fault.Invalid("--file", "SQL_TOO_LONG", "The SQL has more than %d bytes.", maxExampleBytes)
	}
	return strings.TrimSuffix(strings.TrimSpace(string(text)), ";"), nil
}

func newExamplesListCommand(f *Factory) *cobra.Command {
	var withSQL bool
	var table tableFlags
	request := &text2sqlv1.ListExamplesRequest{}
	cmd := exampleCommand(f, "list", "List verified queries and proposals over tables that you may read", cobra.NoArgs, &request.Source,
		func(cmd *cobra.Command, s *services, _ []string) error {
			response, err := s.Text2SQL.ListExamples(cmd.Context(), request)
			if err != nil {
				return err
			}
			if table.asJSON() {
				return writeJSON(f.IO.Out, response)
			}
			if len(response.GetExamples()) == 0 {
				table.remark(f, "there are no verified queries yet; %s stores one", f.command("examples add", request.GetSource(), "QUESTION", "SQL"))
				return nil
			}
			rows := make([][]string, 0, len(response.GetExamples()))
			for _, e := range response.GetExamples() {
				by := e.GetApprovedBy()
				if e.GetOrigin() == "layer" {
					by = "semantic layer"
				}
				text := term.Clean(e.GetQuestion())
				if withSQL {
					text = term.Clean(e.GetSql())
				}
				rows = append(rows, []string{e.GetExampleId(), e.GetStatus(), by, text})
			}
			columns := []term.Column{{Title: "example", Whole: true}, {Title: "status"}, {Title: "approved by"}, {Title: map[bool]string{false: "question", true: "sql"}[withSQL]}}
			return table.print(f, columns, rows)
		})
	cmd.Flags().Int32Var(&request.PageSize, "limit", 50, "most queries to list")
	cmd.Flags().StringVar(&request.Status, "status", "", "approved or proposed (default: both)")
	cmd.Flags().BoolVar(&withSQL, "sql", false, "print the SQL in the place of the question")
	table.add(cmd, "print the queries as JSON")
	return cmd
}

func newExamplesApproveCommand(f *Factory) *cobra.Command {
	var asJSON bool
	var source string
	cmd := exampleCommand(f, "approve EXAMPLE_ID", "Approve a proposal; curators only", cobra.ExactArgs(1), &source,
		func(cmd *cobra.Command, s *services, args []string) error {
			response, err := s.Text2SQL.ApproveExample(cmd.Context(), &text2sqlv1.ApproveExampleRequest{ExampleId: args[0]})
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(f.IO.Out, response)
			}
			fmt.Fprintf(f.IO.Out, "%s %s\n", args[0], response.GetExample().GetStatus())
			return nil
		})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the query as JSON")
	return cmd
}

func newExamplesRemoveCommand(f *Factory) *cobra.Command {
	var asJSON bool
	var source string
	cmd := exampleCommand(f, "remove EXAMPLE_ID...", "Remove verified queries or proposals", cobra.MinimumNArgs(1), &source,
		func(cmd *cobra.Command, s *services, args []string) error {
			for _, id := range args {
				response, err := s.Text2SQL.RemoveExample(cmd.Context(), &text2sqlv1.RemoveExampleRequest{ExampleId: id})
				if err != nil {
					return err
				}
				if asJSON {
					if err := writeJSON(f.IO.Out, response); err != nil {
						return err
					}
					continue
				}
				fmt.Fprintf(f.IO.Out, "%s removed\n", id)
			}
			return nil
		})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object for each")
	return cmd
}

func newExamplesCheckCommand(f *Factory) *cobra.Command {
	var asJSON bool
	request := &text2sqlv1.CheckExamplesRequest{}
	cmd := exampleCommand(f, "check", "Say which verified queries no longer fit the tables; exit code 1 where there are any", cobra.NoArgs, &request.Source,
		func(cmd *cobra.Command, s *services, _ []string) error {
			response, err := s.Text2SQL.CheckExamples(cmd.Context(), request)
			if err != nil {
				return err
			}
			if asJSON {
				if err := writeJSON(f.IO.Out, response); err != nil {
					return err
				}
			} else {
				for _, stale := range response.GetStale() {
					fmt.Fprintf(f.IO.Out, "%s %s\n  %s\n", stale.GetExample().GetExampleId(), term.Clean(stale.GetExample().GetQuestion()), term.Clean(stale.GetReason()))
				}
				fmt.Fprintf(f.IO.Out, "%d checked, %d stale\n", response.GetChecked(), len(response.GetStale()))
			}
			if len(response.GetStale()) > 0 {
				return exitWith(exitFailure)
			}
			return nil
		})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}
