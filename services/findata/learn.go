package findata

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel/train"
	"github.com/dibrain/dibrain/services/findata/memory"
	"github.com/dibrain/dibrain/services/findata/rank"
)

// newRanker returns a ranker with the model of a file, "" for the built-in one.
func newRanker(path string) (*rank.Ranker, error) {
	if path == "" {
		return rank.New(nil)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("findata.rank_model: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	model, err := rankmodel.Read(file)
	if err != nil {
		return nil, fmt.Errorf("findata.rank_model %s: %w", path, err)
	}
	r, err := rank.New(model)
	if err != nil {
		return nil, fmt.Errorf("findata.rank_model %s: %w", path, err)
	}
	return r, nil
}

// maxJudged bounds the answers that ranking is learned from; the newest count.
const maxJudged = 50_000

// Judged returns what people in a data folder were shown in a source and what
// they opened, used or called right, for `dibrain findata train`.
func Judged(ctx context.Context, dataDir, source string) (answers []train.Judged, err error) {
	m := memory.New(memory.Config{}, dataDir, time.Now)
	defer func() { err = errors.Join(err, m.Close()) }()
	err = m.EachJudged(ctx, source, func(a memory.Answer) error {
		j := train.Judged{Question: a.Question, Names: a.Names}
		for _, c := range a.Candidates {
			j.Rows = append(j.Rows, train.JudgedRow{Features: c.Features, Right: c.Kind == memory.Clicked || c.Kind == memory.Accepted})
		}
		answers = append(answers, j)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what people did with the answers in %s: %w", source, err)
	}
	return answers[max(0, len(answers)-maxJudged):], nil
}
