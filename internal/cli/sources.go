package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/source"
)

func newSourcesCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{Use: "sources", Short: "List and remove sources"}
	cmd.AddCommand(newSourcesListCommand(f), newSourcesUnreadCommand(f), newSourcesRemoveCommand(f))
	return cmd
}

func newSourcesRemoveCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a source with its data",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := openStore(f)
			if err != nil {
				return err
			}
			if err := store.Remove(cmd.Context(), args[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(f.IO.Out, "source %s is removed\n", args[0])
			return err
		},
	}
	completeSourceArg(f, cmd)
	return cmd
}

func newSourcesListCommand(f *Factory) *cobra.Command {
	var table tableFlags
	cmd := &cobra.Command{
		Use:        "list",
		SuggestFor: []string{"show", "ls"},
		Short:      "List the sources of the data directory",
		Args:       cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			store, err := openStore(f)
			if err != nil {
				return err
			}
			return listSources(f, store, table)
		},
	}
	table.add(cmd, "print the sources as JSON")
	return cmd
}

func listSources(f *Factory, store *source.Store, table tableFlags) error {
	manifests, err := store.List()
	if err != nil {
		return err
	}
	if table.asJSON() {
		return writeOwnJSON(f.IO.Out, struct {
			Sources []source.Manifest `json:"sources"`
		}{manifests})
	}
	if len(manifests) == 0 {
		table.remark(f, `there is no source yet: "dibrain ask" makes the demo, "dibrain ingest" brings your own data`)
		return nil
	}
	rows := make([][]string, 0, len(manifests))
	for _, m := range manifests {
		rows = append(rows, []string{m.Name, m.Origin, string(m.Engine), m.CreatedAt.Local().Format("2006-01-02 15:04"), m.Generation})
	}
	return table.print(f, []term.Column{{Title: "source", Whole: true}, {Title: "from"}, {Title: "engine"}, {Title: "made"}, {Title: "generation", Whole: true}}, rows)
}
