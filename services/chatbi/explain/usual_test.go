package explain

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/shorttest"
)

// weekly is a course of days with a season and noise, and the last two whole weeks as
// periods; the last week is scaled.
func weekly(seed int, last float64) Input {
	season := []float64{0, 0, 0, 0, 30, 80, 50}
	values := noisy(random(seed, 70), 91, 0, func(t int) float64 { return season[t%7] })
	in := courseIn(values)
	in.Before, in.After = Period{monday.AddDate(0, 0, 77), monday.AddDate(0, 0, 84)}, Period{monday.AddDate(0, 0, 84), monday.AddDate(0, 0, 91)}
	for i := range in.Daily {
		d := &in.Daily[i]
		switch {
		case i >= 84:
			d.Value *= last
			in.Total.Value.After += d.Value
		case i >= 77:
			in.Total.Value.Before += d.Value
		}
	}
	return in
}

// A week that differs from the one before as weeks do is nothing unusual, and what stands
// out in it must be more than that.
func TestNothingUnusual(t *testing.T) {
	shorttest.Rules(t, "how seldom chance is told")
	t.Parallel()
	unusual := 0
	for i := range 100 {
		in := weekly(i, 1)
		e := explained(t, in)
		require.NotNil(t, e.Usual)
		require.Less(t, e.Usual.Low, 0.0)
		require.Greater(t, e.Usual.High, 0.0)
		if e.Outcome != NothingUnusual {
			unusual++
		}
	}
	require.LessOrEqual(t, unusual, 10)

	require.NotEqual(t, NothingUnusual, explained(t, weekly(1, 0.9)).Outcome)
}

// Usual changes come from the days before After: a change is no measure of itself.
func TestUsualChangesAreEarlierOnes(t *testing.T) {
	t.Parallel()
	calm, fallen := weekly(2, 1), weekly(2, 0.5)
	require.Equal(t, usual(&calm), usual(&fallen))
}

// Without history there is no knowing, and days that are missing are not zero.
func TestUsualNeedsHistory(t *testing.T) {
	t.Parallel()
	in := weekly(3, 1)
	whole := usual(&in)
	in.Daily = in.Daily[70:]
	require.Nil(t, usual(&in))

	gap := weekly(3, 1)
	gap.Daily = append(gap.Daily[:40:40], gap.Daily[42:]...)
	require.Less(t, usual(&gap).Pairs, whole.Pairs)
	require.InDelta(t, whole.High, usual(&gap).High, 0.02)
}

// Periods that are no whole weeks are compared with earlier ones on the same weekdays.
func TestUsualKeepsTheDaysOfTheWeek(t *testing.T) {
	t.Parallel()
	in := weekly(4, 1)
	// Wednesday to Friday against Sunday to Tuesday: the season is most of the change.
	in.Before, in.After = Period{monday.AddDate(0, 0, 83), monday.AddDate(0, 0, 86)}, Period{monday.AddDate(0, 0, 86), monday.AddDate(0, 0, 89)}
	u := usual(&in)
	require.NotNil(t, u)
	require.Less(t, u.High, 0.0)
}

// Within usual changes a place stands out only where it moved more than such changes.
func TestPlacesWithinUsualChanges(t *testing.T) {
	t.Parallel()
	moved := func(all bool) Explanation {
		in := weekly(5, 1)
		cells := sold(random(5, 30), []int{6, 10}, 5000, func(k []string) float64 {
			if k[0] == "2" && (all || k[1] == "7") {
				return 0.3
			}
			return 1
		})
		in.Dimensions, in.Cells, in.Total = cells.Dimensions, cells.Cells, cells.Total
		in.Cells[5].Value.After += in.Total.Value.Before - in.Total.Value.After // the whole stays
		in.Total.Value.After = in.Total.Value.Before
		return explained(t, in)
	}
	require.Empty(t, moved(false).elements())
	require.Contains(t, moved(true).elements(), "d0=2")
}
