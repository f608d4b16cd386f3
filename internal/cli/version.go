package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/build"
)

// contractVersion is the version of the protos that this program serves.
const contractVersion = "v1"

func newVersionCommand(f *Factory) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print what this program was built from",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return json.NewEncoder(f.IO.Out).Encode(struct {
					build.Info
					Contract string `json:"contract"`
				}{f.Build, contractVersion})
			}
			commit := f.Build.Commit
			if f.Build.Modified {
				commit += " (modified)"
			}
			_, err := fmt.Fprintf(f.IO.Out, "dibrain  %s\ncommit   %s\ngo       %s\nplatform %s\ncontract %s\n",
				f.Build.Version, commit, f.Build.Go, f.Build.Platform, contractVersion)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
