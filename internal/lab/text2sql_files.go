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

// find takes a name of the questions for one in the folder of the data where there is
// no such file by itself.
func (t *trainingFiles) find() {
	if _, err := os.Stat(t.read.Queries); errors.Is(err, os.ErrNotExist) {
		t.read.Queries = filepath.Join(t.read.Data, t.read.Queries)
	}
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
func (t *trainingFiles) labelled(f *cli.Factory, read func() error) (err error) {
	t.read.Labels = eval.Labels{}
	if t.labels != "" {
		if t.read.Labels, err = eval.ReadLabels(t.labels); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, t.read.Labels.Write(t.labels)) }()
	}
	b := cli.NewBar(f)
	defer b.End()
	t.read.Now = f.Clock()
	t.read.Progress = func(done, total int) { b.Step(done, total, "read") }
	return read()
}
