package eval

import (
	"context"
	"errors"
	"fmt"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// Judge tells whether SQL answers a labelled question, as suite text2sql counts
// it: whoever fits a model by its figures learns from the same labels. It keeps
// one database open, so questions come grouped by database. It is not safe for
// concurrent use.
type Judge struct {
	databases *databases
	expected  map[string][]goldRows // by gold text, of the open database
}

// goldRows are the rows of one variant of a gold query.
type goldRows struct {
	rows    Table
	ordered bool
}

// NewJudge returns a judge over a folder of databases. Errors: ErrData.
func NewJudge(dir string) (*Judge, error) {
	dbs, err := newDatabases(dir)
	if err != nil {
		return nil, err
	}
	return &Judge{databases: dbs}, nil
}

// Close removes what was ingested.
func (j *Judge) Close() error { return j.databases.close() }

// Tables opens a database and returns its tables.
func (j *Judge) Tables(ctx context.Context, db string) ([]catalog.Table, error) {
	if j.databases.current == nil || j.databases.current.name != db {
		j.expected = make(map[string][]goldRows)
	}
	d, err := j.databases.open(ctx, db)
	if err != nil {
		return nil, err
	}
	return d.tables, nil
}

// ErrGold is the error of a gold query that does not run.
var ErrGold = errors.New("the gold query does not run")

// Right reports whether SQL gives the rows of a gold query over the database that
// is open. SQL that fails is wrong. Errors: ErrGold.
func (j *Judge) Right(ctx context.Context, sql, gold string) (bool, error) {
	db := j.databases.current
	if db == nil {
		return false, fmt.Errorf("%w: no database is open", ErrData)
	}
	want, ok := j.expected[gold]
	if !ok {
		for _, variant := range goldVariants(gold) {
			if rows, err := db.gold(ctx, variant); err == nil {
				want = append(want, goldRows{rows: rows, ordered: orders(variant)})
			}
		}
		j.expected[gold] = want
	}
	if len(want) == 0 {
		return false, ErrGold
	}
	got, err := db.predicted(ctx, sql)
	if err != nil {
		return false, nil //nolint:nilerr // an answer that fails is a wrong one
	}
	for _, w := range want {
		if SameResult(got, w.rows, Comparison{Ordered: w.ordered, IgnoreCase: db.mysql}) {
			return true, nil
		}
	}
	return false, nil
}
