package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	values "github.com/dibrain/dibrain/pkg/result"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
)

func newResultsCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{Use: "results", Short: "Look after the stored rows of your answers"}
	cmd.AddCommand(newResultsDeleteCommand(f))
	return cmd
}

func newResultsDeleteCommand(f *Factory) *cobra.Command {
	var remote remoteFlags
	cmd := &cobra.Command{
		Use:   "delete RESULT_ID...",
		Short: "Delete stored results of yours before their time",
		Long: `Delete stored results of yours before their time: their rows, which pages and exports
read, and that the same statement is answered from them. "dibrain ask --json" has the id
of a result as resultId. The answer that a session keeps stays, with the page that it shows.`,
		Example: "  dibrain results delete res_0c3222e8bee0592e71d28d32",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			return deleteResults(cmd.Context(), f, services.ChatBI, args)
		},
	}
	remote.add(cmd)
	return cmd
}

// deleteResults deletes one after another and ends with the first that is not there.
func deleteResults(ctx context.Context, f *Factory, c chatbiv1.ChatBIServiceClient, ids []string) error {
	for _, id := range ids {
		r, err := c.DeleteResult(ctx, &chatbiv1.DeleteResultRequest{ResultId: id})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(f.IO.Out, "%s is deleted: %s, %s\n", id, plural(int(r.GetRows()), "row", "rows"), values.Bytes(r.GetBytes())); err != nil {
			return err
		}
	}
	return nil
}
