package lab

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/dibrain/dibrain/internal/cli"
	"github.com/dibrain/dibrain/internal/eval"
)

// trainingFiles are what fits of readings read and write.
type trainingFiles struct {
	read   eval.ReadingsOptions
	labels string
	out    string
}

// find finds the file of the questions.
func (t *trainingFiles) find() { t.read.Queries = questionsIn(t.read.Data, t.read.Queries) }

// questionsIn takes a name of questions for one in the folder of the data where there is
// no such file by itself.
func questionsIn(data, queries string) string {
	if _, err := os.Stat(queries); errors.Is(err, os.ErrNotExist) {
		return filepath.Join(data, queries)
	}
	return queries
}

// withLabels reads the labels of a file ("": none are kept), and writes what has become of
// them, however read ends.
func withLabels(file string, read func(eval.Labels) error) (err error) {
	labels := eval.Labels{}
	if file != "" {
		if labels, err = eval.ReadLabels(file); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, labels.Write(file)) }()
	}
	return read(labels)
}

// checkFit finds what is wrong in the flags that all fits have.
func (t *trainingFiles) checkFit(folds int, aim float64) error {
	switch {
	case folds < 2 || folds > 100:
		return cli.BadUsage("--folds is %d: give 2 to 100", folds)
	case aim <= 0 || aim >= 1:
		return cli.BadUsage("--aim is %g: give more than 0 and less than 1", aim)
	case t.read.CutEvery < 0:
		return cli.BadUsage("--cut-every is %d: give 0 or more", t.read.CutEvery)
	}
	return nil
}

// labelled reads questions under a progress bar; labels are kept even where that ends
// early.
func (t *trainingFiles) labelled(f *cli.Factory, read func() error) error {
	return withLabels(t.labels, func(labels eval.Labels) error {
		b := cli.NewBar(f)
		defer b.End()
		t.read.Labels, t.read.Now = labels, f.Clock()
		t.read.Progress = func(done, total int) { b.Step(done, total, "read") }
		return read()
	})
}
