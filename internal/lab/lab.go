// Package lab is the command line of people who build DI-Brain: suites of questions that measure a part of it,
// the gate that holds their figures, and what fits its models. Nothing of it is linked into the product.
package lab

import (
	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/cli"
)

// Root returns the command "dibrain-lab".
func Root(f *cli.Factory) *cobra.Command {
	return cli.NewRoot(f, &cobra.Command{
		Use:   "dibrain-lab",
		Short: "Measure DI-Brain on sets of questions, and fit its models",
	}, newEvalCommand(f), newText2SQLCommand(f), newFindataCommand(f))
}
