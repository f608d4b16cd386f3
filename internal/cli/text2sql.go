package cli

import "github.com/spf13/cobra"

func newText2SQLCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{Use: "text2sql", Short: "Look after questions over tables: follow a question through the rooms that read it"}
	cmd.AddCommand(newText2SQLRoomsCommand(f))
	return cmd
}
