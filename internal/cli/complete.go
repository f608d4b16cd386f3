package cli

import (
	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/source"
)

// completeSources lets a shell complete --source with the sources of the data
// directory, in every command that has the flag.
func completeSources(f *Factory, cmd *cobra.Command) {
	if cmd.Flags().Lookup("source") != nil {
		_ = cmd.RegisterFlagCompletionFunc("source", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return f.sourceNames(), cobra.ShellCompDirectiveNoFileComp
		}) // it fails only for a flag that is not there, or has one
	}
	for _, sub := range cmd.Commands() {
		completeSources(f, sub)
	}
}

// sourceNames are the sources of the data directory; none where they cannot be read:
// whoever completes a line is told nothing then.
func (f *Factory) sourceNames() []string {
	store, err := source.Open(f.dataDir())
	if err != nil {
		return nil
	}
	names, err := store.Names()
	if err != nil {
		return nil
	}
	return names
}
