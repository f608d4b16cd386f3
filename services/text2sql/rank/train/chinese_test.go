package train_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/rank"
	"github.com/dibrain/dibrain/services/text2sql/rank/train"
)

// Of questions in Chinese those with many conditions are read wrongly, however sure
// they would be in English.
func TestFitChinese(t *testing.T) {
	t.Parallel()
	english := examples(10, 40)
	asked := func(name string, fresh bool) train.Set {
		set := train.Set{Name: name, Fresh: fresh}
		for i, e := range examples(10, 40) {
			if e.Cut || i%4 == 3 {
				continue
			}
			for r := range e.Readings {
				e.Readings[r].Features["zh/conditions"] = float64(i % 3)
				e.Readings[r].Right = e.Readings[r].Right && i%3 != 2
			}
			set.Examples = append(set.Examples, e)
		}
		return set
	}
	m := &rank.Model{Version: rank.Version, Threshold: 0.6}
	o := train.ChineseOptions{English: english, Sets: []train.Set{asked("a", false), asked("b", true)}, Names: []string{"zh/conditions"}, Model: m, Folds: 2, Seed: 1, Fit: fit(), Aim: 0.9, Now: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
	c, err := train.FitChinese(t.Context(), o)
	require.NoError(t, err)
	require.Negative(t, c.Weights["zh/conditions"])
	r := c.Training
	require.Equal(t, []string{"a"}, r.Sets)
	require.Equal(t, []string{"b"}, r.Fresh)
	require.Equal(t, 10, r.Databases)
	require.Greater(t, r.Precision, 0.85, "by weights that have not seen the database")
	require.Greater(t, r.FreshPrecision, 0.85)
	require.Less(t, c.Of(0.97, map[string]float64{"zh/conditions": 2}), m.Threshold)

	o.English = nil
	_, err = train.FitChinese(t.Context(), o)
	require.ErrorIs(t, err, train.ErrData)
}
