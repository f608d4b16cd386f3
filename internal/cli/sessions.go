package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

func newSessionsCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{Use: "sessions", Short: "Look at conversations: list, show, export or delete them"}
	cmd.AddCommand(newSessionsListCommand(f), newSessionsShowCommand(f), newSessionsExportCommand(f), newSessionsDeleteCommand(f))
	return cmd
}

// sessionCommand is a command over the services that are there or that --server
// names.
func sessionCommand(f *Factory, use, short string, args cobra.PositionalArgs, do func(cmd *cobra.Command, s *services, args []string) error) *cobra.Command {
	var remote remoteFlags
	cmd := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			return do(cmd, services, args)
		},
	}
	remote.add(cmd)
	completeSessions(f, cmd, &remote)
	return cmd
}

func newSessionsListCommand(f *Factory) *cobra.Command {
	var table tableFlags
	request := &routerv1.ListSessionsRequest{}
	cmd := sessionCommand(f, "list", "List your sessions, the one used last first", cobra.NoArgs,
		func(cmd *cobra.Command, s *services, _ []string) error {
			response, err := s.Router.ListSessions(cmd.Context(), request)
			if err != nil {
				return err
			}
			if table.asJSON() {
				return writeJSON(f.IO.Out, response)
			}
			if len(response.GetSessions()) == 0 {
				table.remark(f, "there are no sessions yet")
				return nil
			}
			rows := make([][]string, 0, len(response.GetSessions()))
			for _, ses := range response.GetSessions() {
				rows = append(rows, []string{ses.GetSessionId(), ses.GetUpdatedAt().AsTime().Local().Format(time.DateTime),
					fmt.Sprint(ses.GetTurns()), ses.GetSource(), ses.GetTitle()})
			}
			columns := []term.Column{{Title: "session", Whole: true}, {Title: "used"}, {Title: "turns", Right: true}, {Title: "source"}, {Title: "title"}}
			return table.print(f, columns, rows)
		})
	cmd.Flags().Int32Var(&request.PageSize, "limit", 20, "most sessions to list")
	table.add(cmd, "print the sessions as JSON")
	return cmd
}

func newSessionsShowCommand(f *Factory) *cobra.Command {
	var asJSON bool
	request := &routerv1.GetSessionRequest{}
	cmd := sessionCommand(f, "show SESSION_ID", "Print the newest messages of a session", cobra.ExactArgs(1),
		func(cmd *cobra.Command, s *services, args []string) error {
			request.SessionId = args[0]
			response, err := s.Router.GetSession(cmd.Context(), request)
			if err != nil {
				return nearOf(cmd.Context(), s, args[0], err)
			}
			if asJSON {
				return writeJSON(f.IO.Out, response)
			}
			fmt.Fprintf(f.IO.Out, "%s\n", f.style().Bold(term.Clean(response.GetSession().GetTitle())))
			if response.GetNextPageToken() != "" {
				fmt.Fprintln(f.IO.Out, f.style().Dim("earlier messages: --limit, or dibrain sessions export"))
			}
			for _, m := range response.GetMessages() {
				who := fmt.Sprintf("%s · %s", m.GetRole(), m.GetCreatedAt().AsTime().Local().Format(time.DateTime))
				fmt.Fprintf(f.IO.Out, "\n%s\n", f.style().Dim(who))
				for line := range strings.Lines(m.GetContent()) {
					fmt.Fprintln(f.IO.Out, term.Clean(strings.TrimRight(line, "\r\n")))
				}
			}
			return nil
		})
	cmd.Flags().Int32Var(&request.PageSize, "limit", 50, "most messages to print")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the session as JSON")
	return cmd
}

func newSessionsExportCommand(f *Factory) *cobra.Command {
	return sessionCommand(f, "export SESSION_ID", "Write all that is kept of a session as JSON lines", cobra.ExactArgs(1),
		func(cmd *cobra.Command, s *services, args []string) error {
			stream, err := s.Router.ExportSession(cmd.Context(), &routerv1.ExportSessionRequest{SessionId: args[0]})
			if err != nil {
				return err
			}
			for {
				part, err := stream.Recv()
				if errors.Is(err, io.EOF) {
					return nil
				}
				if err != nil {
					return nearOf(cmd.Context(), s, args[0], err)
				}
				if err := writeJSONLine(f.IO.Out, part); err != nil {
					return err
				}
			}
		})
}

func newSessionsDeleteCommand(f *Factory) *cobra.Command {
	return sessionCommand(f, "delete SESSION_ID", "Remove a session with its messages, runs and tool calls", cobra.ExactArgs(1),
		func(cmd *cobra.Command, s *services, args []string) error {
			if _, err := s.Router.DeleteSession(cmd.Context(), &routerv1.DeleteSessionRequest{SessionId: args[0]}); err != nil {
				return nearOf(cmd.Context(), s, args[0], err)
			}
			_, err := fmt.Fprintf(f.IO.Out, "%s is deleted\n", args[0])
			return err
		})
}
