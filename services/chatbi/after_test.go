package chatbi

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	"github.com/dibrain/dibrain/pkg/ingest/written"
	"github.com/dibrain/dibrain/pkg/result"
)

// TestProgressEndsWithTheJob: what an engine tells later is dropped, and waits for nobody;
// whoever does not listen ends no job.
func TestProgressEndsWithTheJob(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, want := range []error{nil, broken} {
		var later func(Progress)
		var sent []*chatbiv1.ExecuteProgress
		err := sendingProgress(func(p *chatbiv1.ExecuteProgress) error {
			sent = append(sent, p)
			return errors.New("gone")
		}, func(progress func(Progress)) error {
			progress(Progress{Phase: "running", Fraction: 0.5, Rows: 7})
			progress(Progress{Phase: "fetching", Fraction: -1, Rows: 9})
			later = progress
			return want
		})
		require.Equal(t, want, err)
		later(Progress{Phase: "late"})
		require.Len(t, sent, 2)
		require.Equal(t, "running", sent[0].GetPhase())
		require.InDelta(t, 0.5, sent[0].GetFraction(), 0)
		require.EqualValues(t, 7, sent[0].GetRows())
		require.Equal(t, "fetching", sent[1].GetPhase())
	}
}

// TestValuesOfTheirColumnsType: what an engine could have given as a value of a column.
func TestValuesOfTheirColumnsType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ  string
		yes  []any
		nope []any
	}{
		{"bigint", []any{int64(1), nil}, []any{true, "x"}},
		{"double", []any{1.5, nil}, []any{"x", false}},
		{"boolean", []any{true, nil}, []any{"true", int64(1)}},
		{"date", []any{"2026-11-01", nil}, []any{"no day", "", int64(1)}},
		{"timestamp(3)", []any{"2026-11-01 08:00:00", nil}, []any{"soon", 1.5}},
		{"varchar", []any{"", "x", nil}, []any{int64(1), true, []any{"x"}}},
	} {
		for _, v := range c.yes {
			require.True(t, fits(v, result.Column{Name: "a", Type: c.typ}), "%s %v", c.typ, v)
		}
		for _, v := range c.nope {
			require.False(t, fits(v, result.Column{Name: "a", Type: c.typ}), "%s %v", c.typ, v)
		}
	}
}

// TestNumbersThatLettersMisorder are those of several lengths before the point; what has
// one text that is no number is ordered by its letters on purpose.
func TestNumbersThatLettersMisorder(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	for _, c := range []struct {
		values []string
		want   bool
	}{
		{[]string{"9.5", "10.5"}, true}, {[]string{"9.25", "8.5"}, false}, {[]string{"9", "10"}, true}, {[]string{"09", "10"}, false},
		{[]string{"9", "ten"}, false}, {[]string{"9", "10", "ten"}, false}, {[]string{"9"}, false}, {nil, false},
	} {
		require.Equal(t, c.want, numbersOfSeveralLengths(words, c.values), "%v", c.values)
	}
}
