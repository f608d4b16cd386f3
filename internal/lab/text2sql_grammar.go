package lab

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/cli"
	"github.com/dibrain/dibrain/internal/eval"
	"github.com/dibrain/dibrain/services/text2sql/parse/learn"
)

type grammarOptions struct {
	fit    eval.GrammarOptions
	labels string
	out    string
	keep   int
}

func newText2SQLGrammarCommand(f *cli.Factory) *cobra.Command {
	o := &grammarOptions{}
	cmd := &cobra.Command{
		Use:   "grammar",
		Short: "Fit the weights of the grammar that reads questions, on questions with their SQL",
		Long: `Fit how much each rule of the grammar counts, each sense of a word and each word
passed over, so that drafts which lead to the right rows come first, and write the
weights as a file.

--data takes a folder with databases/, --queries a file of it whose questions have
SQL. The wordings that the product brings along count as well. Databases that
--keep-apart leaves out are for measuring what the weights are worth elsewhere.`,
		Example: `  dibrain-lab text2sql grammar --data ../shared/data/text2sql/spiderman --queries train.jsonl \
    --out services/text2sql/parse/weights.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runGrammar(cmd.Context(), f, o) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.fit.Data, "data", "", "folder with databases/")
	flags.StringVar(&o.fit.Queries, "queries", "train.jsonl", "file of questions, by itself or in --data")
	flags.StringVar(&o.labels, "labels", "", "file that keeps which SQL was right, so that it does not run again")
	flags.StringVar(&o.out, "out", "", "file for the weights")
	flags.IntVar(&o.fit.PerDB, "per-database", 40, "most questions of one database; 0: all")
	flags.IntVar(&o.fit.Rounds, "rounds", 3, "readings and fits, each with the weights of the one before")
	flags.IntVar(&o.keep, "keep-apart", 3, "one of so many databases is left out; 0: none")
	return cmd
}

func runGrammar(ctx context.Context, f *cli.Factory, o *grammarOptions) error {
	switch {
	case o.fit.Data == "":
		return cli.BadUsage("--data is missing: give the folder with databases/")
	case o.out == "":
		return cli.BadUsage("--out is missing: give the file for the weights")
	case o.fit.Rounds < 1 || o.fit.Rounds > 10:
		return cli.BadUsage("--rounds is %d: give 1 to 10", o.fit.Rounds)
	}
	o.fit.Queries = questionsIn(o.fit.Data, o.fit.Queries)
	weights, rounds, err := o.weights(ctx, f)
	if errors.Is(err, eval.ErrData) {
		return cli.BadUsage("%w", err)
	}
	if err != nil {
		return err
	}
	comment := "Weights of the grammar, fitted by dibrain-lab text2sql grammar. rule/NAME: a use of a\n" +
		"rule; as/SENSE: an item taken so; skip/CLASS: an item passed over; link/...: how\n" +
		"well names fit; shape/NAME: of the whole draft. |<CLASS and |>CLASS: more where the\n" +
		"item before or after is of that class.\n"
	for i, r := range rounds {
		line := fmt.Sprintf("round %d: %d questions, %.3f right first, %.3f right at all; %d of %d wordings\n",
			i+1, r.Questions, share(r.First, r.Questions), share(r.Any, r.Questions), r.WordedFirst, r.Wordings)
		comment += line
		if _, err := fmt.Fprint(f.IO.Out, line); err != nil {
			return err
		}
	}
	file, err := os.Create(o.out)
	if err != nil {
		return cli.BadUsage("--out: %w", err)
	}
	return errors.Join(learn.Write(file, comment, weights), file.Close())
}

func share(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

// weights reads and fits; labels are kept even where that ends early.
func (o *grammarOptions) weights(ctx context.Context, f *cli.Factory) (w map[string]float64, rounds []eval.GrammarRound, err error) {
	if o.fit.From, err = learn.Prior(); err != nil {
		return nil, nil, err
	}
	b := cli.NewBar(f)
	defer b.End()
	o.fit.Now = f.Clock()
	o.fit.Skip = func(db string) bool {
		h := fnv.New32a()
		_, _ = h.Write([]byte(db))                         // a hash takes everything
		return o.keep > 0 && h.Sum32()%uint32(o.keep) == 0 //nolint:gosec // small and not negative
	}
	o.fit.Progress = func(round, done, total int) {
		b.Step(round*total+done, o.fit.Rounds*total, "read")
	}
	err = withLabels(o.labels, func(labels eval.Labels) (err error) {
		o.fit.Labels = labels
		w, rounds, err = eval.GrammarWeights(ctx, o.fit)
		return err
	})
	return w, rounds, err
}
