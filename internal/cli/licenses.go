package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/notices"
)

func newLicensesCommand(f *Factory) *cobra.Command {
	var sbom bool
	cmd := &cobra.Command{
		Use:   "licenses",
		Short: "Print the licences of all that is in this program",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text := notices.Text
			if sbom {
				text = notices.SBOM
			}
			_, err := io.WriteString(f.IO.Out, text)
			return err
		},
	}
	cmd.Flags().BoolVar(&sbom, "sbom", false, "print the bill of materials instead, CycloneDX in JSON")
	return cmd
}
