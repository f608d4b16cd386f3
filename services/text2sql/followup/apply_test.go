package followup

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

func metricOf(id string, agg intent.Agg) intent.Output {
	return intent.Output{Field: intent.Field{Kind: intent.KindMetric, ID: id}, Agg: agg}
}

func dimension(id string) intent.Field { return intent.Field{Kind: intent.KindDimension, ID: id} }

func days(from, to string) *dates.Found {
	a, _ := time.Parse(time.DateOnly, from)
	b, _ := time.Parse(time.DateOnly, to)
	return &dates.Found{From: a, To: b, Text: from + " to " + to}
}

// TestEachChange: an edit changes what it says and leaves the rest, or is refused with why
// and changes nothing.
func TestEachChange(t *testing.T) {
	t.Parallel()
	seller, city := dimension("seller"), dimension("city")
	visits := metricOf("visits", "")
	grouped := func(change func(*intent.Intent)) intent.Intent {
		in := intent.Intent{Select: []intent.Output{visits}, GroupBy: []intent.Field{seller}, OrderBy: []intent.Order{{By: visits, Desc: true}, {By: intent.Output{Field: seller}}}}
		change(&in)
		return in
	}
	plain := func(change func(*intent.Intent)) intent.Intent {
		in := intent.Intent{Select: []intent.Output{visits}}
		change(&in)
		return in
	}
	over := func(n string) *intent.Cond {
		left := visits
		return &intent.Cond{Op: intent.Gt, Left: &left, Values: []intent.Literal{{Text: n, Number: true}}}
	}
	october := func(grain string, compare *intent.Compare) func(*intent.Intent) {
		return func(in *intent.Intent) {
			in.Time = &intent.Time{From: "2026-10-01", To: "2026-11-01", Grain: grain, Compare: compare}
		}
	}
	own := &intent.Compare{From: "2026-01-01", To: "2026-02-01"}
	named := intent.Cond{Op: intent.Named, ID: "vip"}
	for name, c := range map[string]struct {
		before intent.Intent
		edits  []Edit
		why    Why
		check  func(t *testing.T, in intent.Intent)
	}{
		"a bound":                      {grouped(func(*intent.Intent) {}), []Edit{{Do: Bound, Cond: over("5")}}, "", func(t *testing.T, in intent.Intent) { require.Equal(t, []intent.Cond{*over("5")}, in.Having) }},
		"another bound of the figure":  {grouped(func(in *intent.Intent) { in.Having = []intent.Cond{*over("5")} }), []Edit{{Do: Bound, Cond: over("9")}}, "", func(t *testing.T, in intent.Intent) { require.Equal(t, []intent.Cond{*over("9")}, in.Having) }},
		"a bound of one row":           {plain(func(*intent.Intent) {}), []Edit{{Do: Bound, Cond: over("5")}}, WhyNothingToCut, nil},
		"a bound of a count of groups": {grouped(func(in *intent.Intent) { in.Counted = true }), []Edit{{Do: Bound, Cond: over("5")}}, WhyNothingToCut, nil},
		"the best": {grouped(func(*intent.Intent) {}), []Edit{{Do: Limit, N: 3, Desc: true, Direction: true, Quality: true}}, "", func(t *testing.T, in intent.Intent) {
			require.True(t, in.OrderBy[0].Desc)
			require.EqualValues(t, 3, in.Limit)
		}},
		"the worst":                   {grouped(func(*intent.Intent) {}), []Edit{{Do: Limit, N: 3, Direction: true, Quality: true}}, "", func(t *testing.T, in intent.Intent) { require.False(t, in.OrderBy[0].Desc) }},
		"the best where low is good":  {grouped(func(in *intent.Intent) { in.Select[0].ID, in.OrderBy[0].By.ID = "returns", "returns" }), []Edit{{Do: Limit, N: 3, Desc: true, Direction: true, Quality: true}}, "", func(t *testing.T, in intent.Intent) { require.False(t, in.OrderBy[0].Desc) }},
		"the best of what is neither": {grouped(func(in *intent.Intent) { in.Select[0].ID, in.OrderBy[0].By.ID = "stock", "stock" }), []Edit{{Do: Limit, N: 3, Desc: true, Direction: true, Quality: true}}, WhyNoDirection, nil},
		"first rows of each country": {grouped(func(in *intent.Intent) {
			in.Country, in.GroupBy = []string{"BR", "SG"}, []intent.Field{seller, byCountry}
			in.OrderBy = append(in.OrderBy, intent.Order{By: intent.Output{Field: byCountry}})
		}), []Edit{{Do: Limit, N: 3, Desc: true}}, "", func(t *testing.T, in intent.Intent) {
			require.Equal(t, []intent.Field{byCountry}, in.LimitPer)
			require.Equal(t, []intent.Order{{By: intent.Output{Field: byCountry}}, {By: visits, Desc: true}, {By: intent.Output{Field: seller}}}, in.OrderBy)
		}},
		"order by what is not shown": {grouped(func(*intent.Intent) {}), []Edit{{Do: OrderBy, Field: city}}, WhyNotFiltered, nil},
		"order by a figure more": {grouped(func(*intent.Intent) {}), []Edit{{Do: OrderBy, Field: intent.Field{Kind: intent.KindMetric, ID: "orders"}, Desc: true}}, "", func(t *testing.T, in intent.Intent) {
			require.Equal(t, []intent.Output{visits, metricOf("orders", "")}, in.Select)
			require.Equal(t, "orders", in.OrderBy[0].By.ID)
		}},
		"the order turned": {grouped(func(*intent.Intent) {}), []Edit{{Do: OrderBy}}, "", func(t *testing.T, in intent.Intent) { require.False(t, in.OrderBy[0].Desc) }},
		"another period": {plain(october("", nil)), []Edit{{Do: SetRange, Date: days("2026-09-01", "2026-09-08")}}, "", func(t *testing.T, in intent.Intent) {
			require.Equal(t, &intent.Time{From: "2026-09-01", To: "2026-09-08", Text: "2026-09-01 to 2026-09-08"}, in.Time)
		}},
		"another period beside one's own": {plain(october("", own)), []Edit{{Do: SetRange, Date: days("2026-09-01", "2026-09-08")}}, WhyUnknownTime, nil},
		"the period before": {plain(october("", nil)), []Edit{{Do: ShiftRange, Unit: "previous"}}, "", func(t *testing.T, in intent.Intent) {
			require.Equal(t, [2]string{"2026-09-01", "2026-10-01"}, [2]string{in.Time.From, in.Time.To})
		}},
		"as many days before": {plain(func(in *intent.Intent) { in.Time = &intent.Time{From: "2026-10-03", To: "2026-10-08"} }), []Edit{{Do: ShiftRange, Unit: "previous"}}, "", func(t *testing.T, in intent.Intent) {
			require.Equal(t, [2]string{"2026-09-28", "2026-10-03"}, [2]string{in.Time.From, in.Time.To})
		}},
		"all time":           {plain(october("", nil)), []Edit{{Do: AllTime}}, "", func(t *testing.T, in intent.Intent) { require.Nil(t, in.Time) }},
		"all time, compared": {plain(october("", &intent.Compare{Unit: "month", N: 1})), []Edit{{Do: AllTime}}, WhyNoPeriod, nil},
		"compared with the month before": {plain(october("", nil)), []Edit{{Do: Compare, Unit: "previous"}}, "", func(t *testing.T, in intent.Intent) {
			require.Equal(t, &intent.Compare{Unit: "month", N: 1}, in.Time.Compare)
			require.Len(t, in.Select, 4)
		}},
		"steps with smaller ones": {plain(october("month", nil)), []Edit{{Do: Compare, Unit: "week"}}, WhyUnknownTime, nil},
		"steps with larger ones":  {plain(october("month", nil)), []Edit{{Do: Compare, Unit: "year"}}, "", func(t *testing.T, in intent.Intent) { require.Equal(t, "year", in.Time.Compare.Unit) }},
		"with as many days": {plain(func(in *intent.Intent) { in.Time = &intent.Time{From: "2026-10-03", To: "2026-10-08"} }), []Edit{{Do: Compare, Date: days("2026-06-03", "2026-06-08")}}, "", func(t *testing.T, in intent.Intent) {
			require.Equal(t, &intent.Compare{From: "2026-06-03", To: "2026-06-08"}, in.Time.Compare)
		}},
		"with more days": {plain(func(in *intent.Intent) { in.Time = &intent.Time{From: "2026-10-03", To: "2026-10-08"} }), []Edit{{Do: Compare, Date: days("2026-06-03", "2026-06-09")}}, WhyUnknownTime, nil},
		"one country of all": {plain(func(in *intent.Intent) { in.AllCountries = true }), []Edit{{Do: SetCountry, Values: []string{"BR"}}}, "", func(t *testing.T, in intent.Intent) {
			require.False(t, in.AllCountries)
			require.Equal(t, []string{"BR"}, in.Country)
		}},
		"all countries":                 {plain(func(in *intent.Intent) { in.Country = []string{"BR"} }), []Edit{{Do: AllCountries}}, "", func(t *testing.T, in intent.Intent) { require.True(t, in.AllCountries); require.Empty(t, in.Country) }},
		"without one of all countries":  {plain(func(*intent.Intent) {}), []Edit{{Do: DropCountry, Values: []string{"BR"}}}, "", func(t *testing.T, in intent.Intent) { require.Equal(t, []string{"SG"}, in.Country) }},
		"without a country that is not": {plain(func(in *intent.Intent) { in.Country = []string{"SG"} }), []Edit{{Do: DropCountry, Values: []string{"BR"}}}, WhyNotFiltered, nil},
		"a named condition twice":       {plain(func(in *intent.Intent) { in.Filters = []intent.Cond{named} }), []Edit{{Do: KeepNamed, Values: []string{"vip"}}}, "", func(t *testing.T, in intent.Intent) { require.Equal(t, []intent.Cond{named}, in.Filters) }},
		"a named condition turned": {plain(func(in *intent.Intent) { in.Filters = []intent.Cond{named} }), []Edit{{Do: DropNamed, Values: []string{"vip"}}}, "", func(t *testing.T, in intent.Intent) {
			require.Equal(t, []intent.Cond{{Op: intent.Not, Args: []intent.Cond{named}}}, in.Filters)
		}},
		"and turned back": {plain(func(in *intent.Intent) { in.Filters = []intent.Cond{{Op: intent.Not, Args: []intent.Cond{named}}} }), []Edit{{Do: KeepNamed, Values: []string{"vip"}}}, "", func(t *testing.T, in intent.Intent) { require.Equal(t, []intent.Cond{named}, in.Filters) }},
		"a share of another figure": {grouped(func(in *intent.Intent) { in.Select[0].Agg = intent.AggShare }), []Edit{{Do: SetMetric, Values: []string{"orders"}}}, "", func(t *testing.T, in intent.Intent) {
			require.Equal(t, []intent.Output{metricOf("orders", intent.AggShare)}, in.Select)
		}},
		"a share of a ratio": {grouped(func(in *intent.Intent) { in.Select[0].Agg = intent.AggShare }), []Edit{{Do: SetMetric, Values: []string{"rate"}}}, WhyNoWhole, nil},
		"shares":             {grouped(func(*intent.Intent) {}), []Edit{{Do: Share}}, "", func(t *testing.T, in intent.Intent) { require.Equal(t, intent.AggShare, in.Select[0].Agg) }},
		"shares of one row":  {plain(func(*intent.Intent) {}), []Edit{{Do: Share}}, WhyNoWhole, nil},
		"a group less": {grouped(func(in *intent.Intent) {
			in.GroupBy, in.Limit, in.LimitPer, in.ShareOf = []intent.Field{seller, city}, 2, []intent.Field{city}, []intent.Field{city}
		}), []Edit{{Do: DropGroup, Field: city}}, "", func(t *testing.T, in intent.Intent) {
			require.Equal(t, []intent.Field{seller}, in.GroupBy)
			require.Empty(t, in.LimitPer)
			require.Empty(t, in.ShareOf)
		}},
		"the total of shares": {grouped(func(in *intent.Intent) { in.Select[0].Agg = intent.AggShare; in.Limit = 3 }), []Edit{{Do: Total}}, "", func(t *testing.T, in intent.Intent) {
			require.Equal(t, []intent.Output{visits}, in.Select)
			require.Empty(t, in.GroupBy)
			require.Empty(t, in.OrderBy)
			require.Zero(t, in.Limit)
		}},
		"the last value goes": {plain(func(in *intent.Intent) { in.Filters = []intent.Cond{oneOf(intent.In, city, []string{"Lima"})} }), []Edit{{Do: DropValue, Field: city, Values: []string{"Lima"}}}, WhyNothingLeft, nil},
		"a value more": {plain(func(in *intent.Intent) { in.Filters = []intent.Cond{oneOf(intent.In, city, []string{"Lima"})} }), []Edit{{Do: AddValue, Field: city, Values: []string{"Cusco", "Lima"}}}, "", func(t *testing.T, in intent.Intent) {
			require.Equal(t, []string{"Lima", "Cusco"}, texts(in.Filters[0]))
			require.Equal(t, []intent.Field{city}, in.GroupBy)
		}},
		"the only figure goes":   {plain(func(*intent.Intent) {}), []Edit{{Do: DropMetric, Values: []string{"visits"}}}, WhyNothingLeft, nil},
		"a figure that is not":   {plain(func(*intent.Intent) {}), []Edit{{Do: DropMetric, Values: []string{"orders"}}}, WhyNotFiltered, nil},
		"a figure that is there": {plain(func(*intent.Intent) {}), []Edit{{Do: AddMetric, Values: []string{"visits"}}}, WhyAllThere, nil},
		"why":                    {grouped(func(*intent.Intent) {}), []Edit{{Do: Explain}}, WhyCauses, nil},
		"the first edit fits, the second does not": {grouped(func(*intent.Intent) {}), []Edit{{Do: AddMetric, Values: []string{"orders"}}, {Do: DropGroup, Field: city}}, WhyNotFiltered, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept := clone(c.before)
			got, refusal := Apply(c.before, c.edits, Over{
				Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), Countries: []string{"BR", "SG"},
				Metrics: map[string]Figure{"visits": {High: true}, "returns": {Low: true}, "stock": {}, "rate": {Ratio: true, High: true}},
			})
			require.Equal(t, kept, c.before, "the intent before stays as it was")
			if c.why != "" {
				require.NotNil(t, refusal)
				require.Equal(t, c.why, refusal.Why)
				require.Equal(t, c.before, got)
				return
			}
			require.Nil(t, refusal)
			c.check(t, got)
		})
	}
}

// TestNumbersThatAreNoLimits: a number alone is how many rows are wanted; a year is not.
func TestNumbersThatAreNoLimits(t *testing.T) {
	t.Parallel()
	words, err := LoadWords()
	require.NoError(t, err)
	before := intent.Intent{Select: []intent.Output{metricOf("visits", "")}, GroupBy: []intent.Field{dimension("seller")}}
	for text, limit := range map[string]int64{"only 5": 5, "just 1899": 1899, "only 1900": 0, "only 2025": 0, "only 2099": 0, "only 2100": 2100} {
		r := words.Read(text, nil, &before, "")
		at := slices.IndexFunc(r.Edits, func(e Edit) bool { return e.Do == Limit })
		require.Equal(t, limit > 0, at >= 0, text)
		if limit > 0 {
			require.Equal(t, limit, r.Edits[at].N, text)
			require.Empty(t, r.NotUnderstood, text)
		} else {
			require.NotEmpty(t, r.NotUnderstood, text)
		}
	}
}
