package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
)

type sqlExplainOptions struct {
	source string
	json   bool
}

func newSQLExplainCommand(f *Factory) *cobra.Command {
	o := &sqlExplainOptions{}
	cmd := &cobra.Command{
		Use:   "explain [FILE|-]",
		Short: "Say in words what the statement reads and returns, and its dangers",
		Args:  cobra.MaximumNArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return runSQLExplain(cmd, f, o, args) },
	}
	cmd.Flags().StringVar(&o.source, "source", "", "source whose tables the statement reads")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func runSQLExplain(cmd *cobra.Command, f *Factory, o *sqlExplainOptions, args []string) error {
	p, err := oneStatement(f.IO.In, args)
	if err != nil {
		return err
	}
	services, err := openServices(cmd.Context(), f, remoteFlags{}, o.source)
	if err != nil {
		return err
	}
	defer services.Close()
	response, err := services.FixSQL.ExplainSQL(cmd.Context(), &fixsqlv1.ExplainSQLRequest{
		Source: o.source, Sql: p.text, UserContext: &commonv1.UserContext{Language: commonv1.Language_LANGUAGE_EN},
	})
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(f.IO.Out, response)
	}
	_, err = fmt.Fprintln(f.IO.Out, response.GetExplanation())
	return err
}
