package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/cli"
	"github.com/dibrain/dibrain/internal/eval"
	"github.com/dibrain/dibrain/services/text2sql/chinese"
	"github.com/dibrain/dibrain/services/text2sql/rank"
	"github.com/dibrain/dibrain/services/text2sql/rank/train"
)

type chineseOptions struct {
	trainingFiles
	fit    train.ChineseOptions
	worked []string
	fresh  []string
}

func newText2SQLChineseCommand(f *cli.Factory) *cobra.Command {
	o := &chineseOptions{}
	cmd := &cobra.Command{
		Use:   "chinese",
		Short: "Fit how sure readings of Chinese questions are, on questions with their SQL",
		Long: `Fit how much less sure a reading is for having been asked in Chinese, and write the
weights as a file.

--data and --queries are those of dibrain-lab text2sql train: on them the models of
readings are fitted which have not seen a database. --worked and --fresh take files
of questions in Chinese (question_zh) with their SQL; the failures of the fresh ones
were never looked at, and the level of what is fitted is theirs. What is counted is
what has a weight already.

The file says how good the weights are on databases that they had not seen.`,
		Example: `  dibrain-lab text2sql chinese --data ../shared/data/text2sql/spiderman \
    --worked train_zh.jsonl,train_zh2.jsonl --fresh train_zh5.jsonl \
    --out services/text2sql/chinese/confidence.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runChinese(cmd.Context(), f, o) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.read.Data, "data", "", "folder with databases/")
	flags.StringVar(&o.read.Queries, "queries", "train.jsonl", "file of English questions, by itself or in --data")
	flags.StringSliceVar(&o.worked, "worked", nil, "files of questions in Chinese whose failures were looked at")
	flags.StringSliceVar(&o.fresh, "fresh", nil, "files of others")
	flags.StringVar(&o.labels, "labels", "", "file that keeps which SQL was right, so that it does not run again")
	flags.StringVar(&o.out, "out", "", "file for the weights")
	flags.IntVar(&o.read.Limit, "limit", 3000, "most English questions; 0: all")
	flags.IntVar(&o.read.CutEvery, "cut-every", 4, "one of so many English questions is asked of tables that lack a column, too; 0: none")
	flags.IntVar(&o.fit.Folds, "folds", train.DefaultFolds, "parts of the cross-validation; databases are never parted")
	flags.Float64Var(&o.fit.Aim, "aim", train.DefaultChineseAim, "share of the answers that are to be right")
	flags.Uint64Var(&o.fit.Seed, "seed", 1, "chooses folds, and what each tree sees")
	return cmd
}

func (o *chineseOptions) check() error {
	switch {
	case o.read.Data == "":
		return cli.BadUsage("--data is missing: give the folder with databases/")
	case len(o.worked)+len(o.fresh) == 0:
		return cli.BadUsage("--worked and --fresh are missing: give files of questions in Chinese")
	case o.out == "":
		return cli.BadUsage("--out is missing: give the file for the weights")
	}
	return o.checkFit(o.fit.Folds, o.fit.Aim)
}

func runChinese(ctx context.Context, f *cli.Factory, o *chineseOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	o.find()
	before, err := chinese.LoadConfidence()
	if err != nil {
		return err
	}
	o.fit.Names = before.Names()
	if o.fit.Model, err = rank.Default(); err != nil {
		return err
	}
	o.fit.Fit, o.fit.Now = rank.DefaultFit(), f.Clock()
	err = o.labelled(f, func() error { return o.readings(ctx) })
	if errors.Is(err, eval.ErrData) {
		return cli.BadUsage("%w", err)
	}
	if err != nil {
		return err
	}
	b := cli.NewBar(f)
	o.fit.Progress = func(done, total int) { b.Step(done, total, "fit") }
	c, err := train.FitChinese(ctx, o.fit)
	b.End()
	if errors.Is(err, train.ErrData) {
		return cli.BadUsage("%w", err)
	}
	if err != nil {
		return err
	}
	return o.write(f, c)
}

// readings reads the questions of all files.
func (o *chineseOptions) readings(ctx context.Context) (err error) {
	if o.fit.English, _, err = eval.Readings(ctx, o.read); err != nil {
		return err
	}
	of := o.read
	of.Chinese, of.Limit, of.CutEvery = true, 0, 0
	for _, file := range append(slices.Clone(o.worked), o.fresh...) {
		set := train.Set{Name: filepath.Base(file), Fresh: slices.Contains(o.fresh, file)}
		of.Queries = file
		if set.Examples, _, err = eval.Readings(ctx, of); err != nil {
			return err
		}
		o.fit.Sets = append(o.fit.Sets, set)
	}
	return nil
}

func (o *chineseOptions) write(f *cli.Factory, c *chinese.Confidence) error {
	file, err := os.Create(o.out)
	if err != nil {
		return cli.BadUsage("--out: %w", err)
	}
	if err := errors.Join(c.Write(file), file.Close()); err != nil {
		return err
	}
	r := c.Training
	_, err = fmt.Fprintf(f.IO.Out, "%d questions of %d databases, unseen: answered rightly %.3f with precision %.3f; fresh ones %.3f with precision %.3f\n%d weights in %s\n",
		r.Questions, r.Databases, r.Right, r.Precision, r.FreshRight, r.FreshPrecision, len(c.Weights), o.out)
	return err
}
