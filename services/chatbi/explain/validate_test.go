package explain

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
)

func TestInputsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	good := func() Input {
		in := weekly(1, 1)
		cells := sold(random(1, 80), []int{3, 3}, 100, same)
		in.Dimensions, in.Cells, in.Total = cells.Dimensions, cells.Cells, cells.Total
		return in
	}
	_, err := Explain(t.Context(), good(), Limits{})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		spoil  func(*Input)
		limits Limits
		reason string
		field  string
	}{
		"kind":            {func(in *Input) { in.Kind = "sum" }, Limits{}, invalid, "kind"},
		"total":           {func(in *Input) { in.Total.Value.After = math.NaN() }, Limits{}, invalid, "total"},
		"factor":          {func(in *Input) { in.Factors = []Factor{{"a", Pair{1, math.Inf(1)}}} }, Limits{}, invalid, "factors"},
		"cell":            {func(in *Input) { in.Cells[1].Value.Before = math.Inf(-1) }, Limits{}, invalid, "cells"},
		"keys":            {func(in *Input) { in.Cells[1].Keys = []string{"a"} }, Limits{}, invalid, "cells"},
		"cell twice":      {func(in *Input) { in.Cells[1].Keys = in.Cells[0].Keys }, Limits{}, invalid, "cells"},
		"no dimensions":   {func(in *Input) { in.Dimensions = nil }, Limits{}, invalid, "dimensions"},
		"day":             {func(in *Input) { in.Daily[3].Value = math.NaN() }, Limits{}, invalid, "daily"},
		"order of days":   {func(in *Input) { in.Daily[3], in.Daily[4] = in.Daily[4], in.Daily[3] }, Limits{}, invalid, "daily"},
		"hours":           {func(in *Input) { in.Daily[3].Date = in.Daily[3].Date.Add(time.Hour) }, Limits{}, invalid, "daily"},
		"empty period":    {func(in *Input) { in.After.To = in.After.From }, Limits{}, invalid, "after"},
		"no period":       {func(in *Input) { in.Before = Period{} }, Limits{}, invalid, "before"},
		"many cells":      {func(*Input) {}, Limits{Cells: 8}, tooLarge, ""},
		"many dimensions": {func(*Input) {}, Limits{Dimensions: 1}, tooLarge, ""},
		"many days":       {func(*Input) {}, Limits{Days: 90}, tooLarge, ""},
		"many factors":    {func(in *Input) { in.Factors = make([]Factor, 3) }, Limits{Factors: 2}, tooLarge, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := good()
			c.spoil(&in)
			_, err := Explain(t.Context(), in, c.limits)
			var f *fault.Error
			require.ErrorAs(t, err, &f)
			require.Equal(t, c.reason, f.Reason)
			require.Equal(t, c.field, f.Field)
			require.NotEmpty(t, f.Message)
		})
	}
}

// Keys are told apart whatever is in them.
func TestKeysAreToldApart(t *testing.T) {
	t.Parallel()
	in := Input{Kind: Additive, Dimensions: []string{"a", "b"}, Cells: []Cell{
		{Keys: []string{"x", "yz"}}, {Keys: []string{"xy", "z"}}, {Keys: []string{"", "x\x02yz"}}, {Keys: []string{"x\x02yz", ""}},
	}}
	_, err := validate(&in, DefaultLimits())
	require.NoError(t, err)
}

// Limits of causes and elements hold, and a context that is over ends the search.
func TestLimitsOfCauses(t *testing.T) {
	t.Parallel()
	in := sold(random(1, 81), []int{12, 6, 5}, 2000, func(k []string) float64 {
		switch {
		case k[0] == "1" || k[0] == "2" || k[0] == "3":
			return 0.4
		case k[1] == "2":
			return 0.6
		}
		return 1
	})
	e, err := Explain(t.Context(), in, Limits{})
	require.NoError(t, err)
	require.Len(t, e.elements(), 4)
	e, err = Explain(t.Context(), in, Limits{Causes: 1})
	require.NoError(t, err)
	require.Len(t, e.Causes, 1)
	e, err = Explain(t.Context(), in, Limits{Elements: 2})
	require.NoError(t, err)
	require.Len(t, e.elements(), 2)

	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Explain(over, in, Limits{})
	require.ErrorIs(t, err, context.Canceled)
}
