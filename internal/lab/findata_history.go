package lab

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/cli"
	"github.com/dibrain/dibrain/internal/eval"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel/train"
)

func newFindataCommand(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{Use: "findata", Short: "Make what the ranking of tables is fitted on"}
	cmd.AddCommand(newFindataHistoryCommand(f))
	return cmd
}

type historyOptions struct {
	data       string
	statements string
	out        string
}

func newFindataHistoryCommand(f *cli.Factory) *cobra.Command {
	o := &historyOptions{}
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Write a log of queries over a labelled set, as if people had run them",
		Long: `Write statements (JSON lines with db, question and sql) as query events of Trino's
listener, by made-up people on made-up days, but for those of the questions of --data.
dibrain findata train --history reads it.`,
		Example: `  dibrain-lab findata history --data ../shared/data/table_discovery/synth50k \
    --statements ../shared/data/text2sql/spiderman/train.jsonl --out events.jsonl
  dibrain findata train --data ../shared/data/table_discovery/synth50k --history events.jsonl --out model.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.data, "data", "", "folder with corpus.jsonl or corpus.jsonl.gz, and train.jsonl")
	flags.StringVar(&o.statements, "statements", "", "file of statements over its tables")
	flags.StringVar(&o.out, "out", "", "file for the log")
	return cmd
}

func (o *historyOptions) run(ctx context.Context, f *cli.Factory) error {
	switch {
	case o.data == "":
		return cli.BadUsage("--data is missing: give the folder of a labelled set")
	case o.statements == "":
		return cli.BadUsage("--statements is missing: give a file of statements")
	case o.out == "":
		return cli.BadUsage("--out is missing: give the file for the log")
	}
	corpus, questions := train.SetFiles(o.data)
	written, left, err := eval.WriteHistory(ctx, o.out, o.statements, corpus, questions, f.Clock())
	if err != nil {
		return evalError(err)
	}
	_, err = fmt.Fprintf(f.IO.Out, "%d statements in %s, %d of questions left out\n", written, o.out, left)
	return err
}
