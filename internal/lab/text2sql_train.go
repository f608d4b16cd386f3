package lab

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/cli"
	"github.com/dibrain/dibrain/internal/eval"
	"github.com/dibrain/dibrain/services/text2sql/rank"
	"github.com/dibrain/dibrain/services/text2sql/rank/train"
)

func newText2SQLCommand(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{Use: "text2sql", Short: "Fit what ranks the readings of questions over tables"}
	cmd.AddCommand(newText2SQLTrainCommand(f), newText2SQLGrammarCommand(f), newText2SQLChineseCommand(f))
	return cmd
}

type readingsOptions struct {
	trainingFiles
	train train.Options
	json  bool
}

func newText2SQLTrainCommand(f *cli.Factory) *cobra.Command {
	o := &readingsOptions{}
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Fit the model that ranks the readings of a question, on questions with their SQL",
		Long: `Fit the model that says how likely a reading of a question is right, and write it
as a file.

--data takes a folder with databases/, --queries a file of it whose questions have
SQL. Every reading of a question runs on its database; right is what gives the same
rows as that SQL, as dibrain-lab eval text2sql counts. Some questions are asked once
more of tables that lack a column which the answer needs: the model learns what
cannot be known.

The file says what it was fitted on, and how good it is on databases that it had not
seen. Its threshold is the lowest at which --aim of the answers was right there.`,
		Example: `  dibrain-lab text2sql train --data ../shared/data/text2sql/spiderman --queries train.jsonl \
    --out services/text2sql/rank/model.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runReadingsTrain(cmd.Context(), f, o) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.read.Data, "data", "", "folder with databases/")
	flags.StringVar(&o.read.Queries, "queries", "train.jsonl", "file of questions, by itself or in --data")
	flags.StringVar(&o.labels, "labels", "", "file that keeps which SQL was right, so that it does not run again")
	flags.StringVar(&o.out, "out", "", "file for the model")
	flags.IntVar(&o.read.Limit, "limit", 0, "most questions; 0: all")
	flags.IntVar(&o.read.CutEvery, "cut-every", 4, "one of so many questions is asked of tables that lack a column, too; 0: none")
	flags.IntVar(&o.train.Folds, "folds", train.DefaultFolds, "parts of the cross-validation; databases are never parted")
	flags.Float64Var(&o.train.Aim, "aim", train.DefaultAim, "share of the answers that are to be right")
	flags.Uint64Var(&o.train.Seed, "seed", 1, "chooses folds, and what each tree sees")
	flags.BoolVar(&o.json, "json", false, "print the model as JSON")
	return cmd
}

// check finds what is wrong in the flags before anything is read.
func (o *readingsOptions) check() error {
	switch {
	case o.read.Data == "":
		return cli.BadUsage("--data is missing: give the folder with databases/")
	case o.out == "" && !o.json:
		return cli.BadUsage("--out is missing: give the file for the model, or --json to print it")
	}
	return o.checkFit(o.train.Folds, o.train.Aim)
}

func runReadingsTrain(ctx context.Context, f *cli.Factory, o *readingsOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	o.find()
	err := o.labelled(f, func() error { return o.examples(ctx) })
	if errors.Is(err, eval.ErrData) {
		return cli.BadUsage("%w", err)
	}
	if err != nil {
		return err
	}
	if o.train.Before, err = rank.Default(); err != nil {
		return err
	}
	b := cli.NewBar(f)
	o.train.Now = f.Clock()
	o.train.Progress = func(done, total int) { b.Step(done, total, "fit") }
	m, _, err := train.Fit(ctx, o.train)
	b.End()
	if errors.Is(err, train.ErrData) {
		return cli.BadUsage("%w", err)
	}
	if err != nil {
		return err
	}
	return o.write(f, m)
}

// examples reads and labels the readings.
func (o *readingsOptions) examples(ctx context.Context) error {
	examples, data, err := eval.Readings(ctx, o.read)
	o.train.Examples, o.train.Data = examples, []rank.Data{data}
	return err
}

func (o *readingsOptions) write(f *cli.Factory, m *rank.Model) error {
	if done, err := cli.WriteModel(f, m, o.out, o.json); done || err != nil {
		return err
	}
	r := m.Training
	_, err := fmt.Fprintf(f.IO.Out, "before  %s\nafter   %s (unseen databases, %d folds)\nthreshold %.2f, %d trees over %d features in %s\n",
		r.Before, r.After, r.Folds, m.Threshold, len(m.Trees), len(m.Features), o.out)
	return err
}
