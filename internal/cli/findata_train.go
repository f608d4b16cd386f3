package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/pkg/retrieval/backend"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel/train"
	"github.com/dibrain/dibrain/services/findata"
	"github.com/dibrain/dibrain/services/findata/memory"
)

func newFindataCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{Use: "findata", Short: "Look after the search for tables: train its ranking, see what comes of it"}
	cmd.AddCommand(newFindataTrainCommand(f), newFindataStatsCommand(f))
	return cmd
}

type trainOptions struct {
	data     []string
	feedback []string
	from     string
	out      string
	vectors  bool
	history  string
	json     bool
	train    train.Options
}

func newFindataTrainCommand(f *Factory) *cobra.Command {
	o := &trainOptions{}
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Fit the ranking model on labelled questions, or on what people did with the answers",
		Long: `Fit the weights by which tables are ranked, and write them as a model file.

--data takes a folder with corpus.jsonl or corpus.jsonl.gz and train.jsonl: tables,
and questions with the tables that answer them. Tables are read as they are and in
distorted copies (undescribed, cryptic, wide, merged), so that the weights hold in
other warehouses too. A corpus of near twins (by country, layer, snapshot, copy)
fits the weights of those alone.

--feedback takes a source of this installation: weights start from the model there
is and move as far as people's clicks and judgements tell.

--vectors reads the tables of --data with the embedder of findata.search and fits what
vectors count, and nothing else. Without it those weights stay as they are.

--history takes a log of queries over the tables of --data, as Trino's event listener
writes it, and fits what a query history counts, and nothing else. Statements that answer
the questions of --data are not to be in it.

The file says what it was fitted on and how well it ranks questions of databases
that it has not seen. Give it as config key findata.rank_model to use it.`,
		Example: `  dibrain findata train --data ../shared/data/table_discovery/spider --out model.json
  dibrain findata train --feedback demo --out model.json
  dibrain findata train --data ../shared/data/table_discovery/spider --vectors --out model.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runTrain(cmd.Context(), f, o) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&o.data, "data", nil, "folder of a labelled set; may be given several times")
	flags.StringArrayVar(&o.feedback, "feedback", nil, "source whose feedback is learned from; may be given several times")
	flags.BoolVar(&o.vectors, "vectors", false, "fit the weights of vectors alone, with the configured embedder")
	flags.StringVar(&o.history, "history", "", "log of query events over the tables of --data: fit the weights of the query history alone")
	flags.StringVar(&o.from, "from", "", "model file to start from and to compare with (default: the built-in one)")
	flags.StringVar(&o.out, "out", "", "file for the model")
	flags.IntVar(&o.train.Questions, "questions", train.DefaultQuestions, "most questions of a set read over one copy of its tables")
	flags.IntVar(&o.train.Folds, "folds", rankmodel.DefaultFolds, "parts of the cross-validation; databases are never parted")
	flags.Uint64Var(&o.train.Seed, "seed", 1, "chooses questions, folds and distortions")
	flags.Float64Var(&o.train.Fit.L2, "l2", rankmodel.DefaultL2, "what squares of weights cost")
	flags.BoolVar(&o.json, "json", false, "print the model as JSON")
	return cmd
}

// check finds what is wrong in the flags before anything is read.
func (o *trainOptions) check() error {
	switch {
	case len(o.data)+len(o.feedback) == 0:
		return badUsage("there is nothing to learn from: give --data FOLDER or --feedback SOURCE")
	case o.vectors && (len(o.data) == 0 || len(o.feedback) > 0):
		return badUsage("--vectors takes labelled questions alone: give --data FOLDER and no --feedback")
	case o.history != "" && (len(o.data) != 1 || len(o.feedback) > 0 || o.vectors):
		return badUsage("--history takes one labelled set: give --data FOLDER once, and neither --feedback nor --vectors")
	case o.out == "" && !o.json:
		return badUsage("--out is missing: give the file for the model, or --json to print it")
	case o.train.Folds < 2 || o.train.Folds > 100:
		return badUsage("--folds is %d: give 2 to 100", o.train.Folds)
	case o.train.Questions < 1:
		return badUsage("--questions is %d: give 1 or more", o.train.Questions)
	case o.train.Fit.L2 <= 0:
		return badUsage("--l2 is %g: give more than 0", o.train.Fit.L2)
	}
	return nil
}

func runTrain(ctx context.Context, f *Factory, o *trainOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := o.read(ctx, f); err != nil {
		if errors.Is(err, train.ErrData) || errors.Is(err, rankmodel.ErrModel) {
			return badUsage("%w", err)
		}
		return err
	}
	o.train.Now = f.Clock()
	if o.history != "" {
		if _, err := os.Stat(o.history); err != nil {
			return badUsage("--history: %w", err)
		}
		o.train.History = o.history
	}
	if o.vectors {
		makers, err := o.embedder(ctx, f)
		if err != nil {
			return err
		}
		defer func() { _ = makers.Close() }() // what it made has been read
		o.train.Vectors, o.train.VectorsAlone = makers, true
	}
	b := newBar(f)
	o.train.Progress = func(what string, done, total int) { b.step(done, total, what) }
	m, err := train.Fit(ctx, o.train)
	b.end()
	if errors.Is(err, train.ErrData) {
		return badUsage("%w", err)
	}
	if err != nil {
		return err
	}
	return o.write(f, m)
}

// embedder returns what makes vectors with the configured embedder. They are
// searched in memory, whatever the configuration says: a copy of a catalog lives for
// a moment only.
func (o *trainOptions) embedder(ctx context.Context, f *Factory) (*backend.Backend, error) {
	cfg, err := f.Config()
	if err != nil {
		return nil, err
	}
	search := cfg.FindData.Config.Search
	if search.Embedder == "" || search.Embedder == backend.None {
		return nil, badUsage("--vectors needs an embedder: set findata.search.embedder to %s or %s", backend.OfCorpus, backend.Endpoint)
	}
	search.Lexical, search.Vector = backend.Embedded, backend.Flat
	return backend.Open(ctx, search, backend.Deps{})
}

// read reads the sets and the feedback.
func (o *trainOptions) read(ctx context.Context, f *Factory) error {
	for _, dir := range o.data {
		corpus, questions := train.SetFiles(dir)
		set, err := train.ReadSet(ctx, corpus, questions)
		if err != nil {
			return err
		}
		if set.HasTwins() {
			o.train.Facets = append(o.train.Facets, set)
		} else {
			o.train.Text = append(o.train.Text, set)
		}
	}
	if len(o.feedback) > 0 {
		cfg, err := f.Config()
		if err != nil {
			return err
		}
		options, err := f.appOptions(cfg)
		if err != nil {
			return err
		}
		for _, source := range o.feedback {
			kept, err := app.OpenTables(ctx, *cfg, options, memory.Tables)
			if err != nil {
				return err
			}
			answers, err := findata.Judged(ctx, kept, source)
			if err != nil {
				return err
			}
			o.train.Judged = append(o.train.Judged, answers...)
		}
		if len(o.train.Judged) == 0 {
			return fmt.Errorf("%w: nobody judged an answer in %v yet", train.ErrData, o.feedback)
		}
	}
	if o.from == "" {
		return nil
	}
	file, err := os.Open(o.from)
	if err != nil {
		return badUsage("--from: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	o.train.Before, err = rankmodel.Read(file)
	return err
}

func (o *trainOptions) write(f *Factory, m *rankmodel.Model) error {
	if done, err := WriteModel(f, m, o.out, o.json); done || err != nil {
		return err
	}
	r := m.Training
	_, err := fmt.Fprintf(f.IO.Out, "before  %s\nafter   %s (unseen databases, %d folds)\n%d weights in %s\n", r.Before, r.After, r.Folds, len(m.Weights), o.out)
	return err
}
