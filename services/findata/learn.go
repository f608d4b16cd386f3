package findata

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel/train"
	"github.com/dibrain/dibrain/pkg/store/small"
	"github.com/dibrain/dibrain/services/findata/memory"
	"github.com/dibrain/dibrain/services/findata/rank"
)

// maxRankingBytes bounds a file of weights, which people write.
const maxRankingBytes = 1 << 20

// newRanker returns a ranker with the model of a file and the weights of another, ""
// for the built-in ones.
func newRanker(modelPath, weightsPath string) (*rank.Ranker, error) {
	var weights []byte
	if weightsPath != "" {
		info, err := os.Stat(weightsPath)
		if err == nil && info.Size() > maxRankingBytes {
			err = fmt.Errorf("%s is larger than %d bytes", weightsPath, maxRankingBytes)
		}
		if err == nil {
			weights, err = os.ReadFile(weightsPath)
		}
		if err != nil {
			return nil, fmt.Errorf("findata.ranking_file: %w", err)
		}
	}
	var model *rankmodel.Model
	if modelPath != "" {
		var err error
		if model, err = readModel(modelPath); err != nil {
			return nil, fmt.Errorf("findata.rank_model %s: %w", modelPath, err)
		}
	}
	r, err := rank.NewWith(model, weights)
	if err != nil && weightsPath == "" {
		return nil, fmt.Errorf("findata.rank_model %s: %w", modelPath, err)
	}
	if err != nil {
		return nil, fmt.Errorf("findata.ranking_file %s: %w", weightsPath, err)
	}
	return r, nil
}

func readModel(path string) (*rankmodel.Model, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	return rankmodel.Read(file)
}

// maxJudged bounds the answers that ranking is learned from; the newest count.
const maxJudged = 50_000

// Judged returns what people were shown in a source, as tables keep it, and what they
// opened, used or called right, for `dibrain findata train`. The tables are closed.
func Judged(ctx context.Context, tables small.Store, source string) (answers []train.Judged, err error) {
	m := memory.New(memory.Config{}, tables, time.Now)
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
