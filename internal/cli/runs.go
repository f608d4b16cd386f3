package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

func newRunsCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{Use: "runs", Short: "Look at runs: what was asked, what was done, how long it took"}
	cmd.AddCommand(newRunsListCommand(f), newRunsShowCommand(f), newRunsAgainCommand(f), newRunsCancelCommand(f))
	return cmd
}

func newRunsListCommand(f *Factory) *cobra.Command {
	var remote remoteFlags
	var table tableFlags
	request := &routerv1.ListRunsRequest{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List your runs, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			return listRuns(cmd.Context(), f, services, request, table)
		},
	}
	remote.add(cmd)
	cmd.Flags().StringVar(&request.SessionId, "session", "", "only runs of this session")
	ofPerson(cmd, &request.Principal)
	cmd.Flags().Int32Var(&request.PageSize, "limit", 20, "most runs to list")
	table.add(cmd, "print the runs as JSON")
	return cmd
}

func listRuns(ctx context.Context, f *Factory, s *services, request *routerv1.ListRunsRequest, table tableFlags) error {
	response, err := s.Router.ListRuns(ctx, request)
	if err != nil {
		return err
	}
	if table.asJSON() {
		return writeJSON(f.IO.Out, response)
	}
	if len(response.GetRuns()) == 0 {
		table.remark(f, "there are no runs yet")
		return nil
	}
	rows := make([][]string, 0, len(response.GetRuns()))
	for _, r := range response.GetRuns() {
		record := r.GetRecord()
		took := ""
		if record.GetEndedAt() != nil {
			took = term.Duration(record.GetEndedAt().AsTime().Sub(record.GetStartedAt().AsTime()))
		}
		rows = append(rows, []string{
			record.GetRunId(), record.GetStartedAt().AsTime().Local().Format(time.DateTime),
			statusWord(record.GetStatus()), took, r.GetQuestion(),
		})
	}
	columns := []term.Column{{Title: "run", Whole: true}, {Title: "began"}, {Title: "status"}, {Title: "took", Right: true}, {Title: "question"}}
	return table.print(f, columns, rows)
}

func newRunsShowCommand(f *Factory) *cobra.Command {
	var remote remoteFlags
	var asJSON bool
	var person string
	cmd := &cobra.Command{
		Use:   "show RUN_ID",
		Short: "Print a run as a tree with times",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			response, err := services.Router.GetRun(cmd.Context(), &routerv1.GetRunRequest{RunId: args[0], Principal: person})
			if err != nil {
				return nearOf(cmd.Context(), services, args[0], err)
			}
			if asJSON {
				return writeJSON(f.IO.Out, response)
			}
			fmt.Fprintf(f.IO.Out, "%s\n%s\n\n", f.style().Bold(term.Clean(response.GetQuestion())), f.style().Dim("session "+response.GetSessionId()))
			_, err = fmt.Fprint(f.IO.Out, term.Tree(runNodes(response.GetRecords()), f.style()))
			return err
		},
	}
	remote.add(cmd)
	completeRuns(f, cmd, &remote)
	ofPerson(cmd, &person)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the records as JSON")
	return cmd
}

// ofPerson lets an auditor say whose runs are meant.
func ofPerson(cmd *cobra.Command, person *string) {
	cmd.Flags().StringVar(person, "principal", "", "the runs of this person; for members of a group in router.auditors")
}

func newRunsAgainCommand(f *Factory) *cobra.Command {
	o := &askOptions{}
	cmd := &cobra.Command{
		Use:   "again RUN_ID",
		Short: "Run the SQL of a run again and print the answer",
		Long: `Run the SQL of a run again, as it was written then: dates in it stay what they were.
It runs under the rights that you have now, on the data of now, and is a run of its own
in the same session.

` + askExitCodes,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.again = args[0]
			return runAsk(cmd.Context(), f, o)
		},
	}
	o.addOutput(cmd)
	cmd.Flags().IntVar(&o.limit, "limit", defaultLimit, "rows of the table to print")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "also print what was understood, guard changes, next questions")
	completeRuns(f, cmd, &o.remote)
	return cmd
}

func newRunsCancelCommand(f *Factory) *cobra.Command {
	remote := remoteFlags{}
	cmd := &cobra.Command{
		Use:   "cancel RUN_ID",
		Short: "End a run that is at work on a server",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			response, err := services.Router.CancelRun(cmd.Context(), &routerv1.CancelRunRequest{RunId: args[0]})
			if err != nil {
				return nearOf(cmd.Context(), services, args[0], err)
			}
			_, err = fmt.Fprintf(f.IO.Out, "%s is %s\n", args[0], statusWord(response.GetStatus()))
			return err
		},
	}
	remote.add(cmd)
	completeRuns(f, cmd, &remote)
	return cmd
}

func statusWord(status commonv1.RunStatus) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(status.String(), "RUN_STATUS_"), "_", " "))
}

// maxNote bounds what a line of the tree says beside the name, in cells.
const maxNote = 60

func runNodes(records []*commonv1.RunRecord) []term.Node {
	nodes := make([]term.Node, 0, len(records))
	for _, r := range records {
		n := term.Node{
			ID: r.GetRunId(), Parent: r.GetParentRunId(), Label: r.GetName(),
			Note: noteOf(r), Status: statusWord(r.GetStatus()), Start: r.GetStartedAt().AsTime(),
			Failed: r.GetStatus() == commonv1.RunStatus_RUN_STATUS_FAILED || r.GetStatus() == commonv1.RunStatus_RUN_STATUS_INTERRUPTED,
		}
		if r.GetEndedAt() != nil {
			n.End = r.GetEndedAt().AsTime()
		}
		nodes = append(nodes, n)
	}
	slices.SortStableFunc(nodes, func(a, b term.Node) int { return a.Start.Compare(b.Start) })
	return nodes
}

func noteOf(r *commonv1.RunRecord) string {
	if r.GetError() != "" {
		return term.Shorten(r.GetError(), maxNote)
	}
	keys := make([]string, 0, len(r.GetAttributes()))
	for k := range r.GetAttributes() {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	parts := make([]string, 0, len(keys))
	for _, k := range keys {
		parts = append(parts, k+"="+r.GetAttributes()[k])
	}
	return term.Shorten(strings.Join(parts, " "), maxNote)
}
