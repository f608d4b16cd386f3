package followup

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// TestEditsInWords: an edit is said with what it changes, in both languages.
func TestEditsInWords(t *testing.T) {
	t.Parallel()
	texts, err := LoadTexts()
	require.NoError(t, err)
	name := func(id string) string { return "<" + id + ">" }
	city := intent.Field{Kind: intent.KindDimension, ID: "city"}
	average := intent.Output{Agg: intent.AggAvg, Field: intent.Field{Kind: intent.KindDimension, ID: "fee"}}
	for title, c := range map[string]struct {
		edit Edit
		has  string // in both languages
	}{
		"a country":             {Edit{Do: SetCountry, Values: []string{"BR"}}, "<BR>"},
		"a metric":              {Edit{Do: AddMetric, Values: []string{"gmv"}}, "<gmv>"},
		"a stored value":        {Edit{Do: SetValue, Field: city, Values: []string{"Lyon"}}, "Lyon"},
		"no value of a column":  {Edit{Do: DropValue, Field: city}, "<city>"},
		"groups":                {Edit{Do: AddGroup, Field: city}, "<city>"},
		"an order":              {Edit{Do: OrderBy, Field: city}, "<city>"},
		"a time":                {Edit{Do: SetRange, Date: &dates.Found{Text: " last week "}}, "last week"},
		"how many":              {Edit{Do: Limit, N: 7}, "7"},
		"rows":                  {Edit{Do: ListRows, N: 12}, "12"},
		"different values":      {Edit{Do: ListValues, Field: city}, "<city>"},
		"a condition":           {Edit{Do: Bound, Cond: &intent.Cond{Op: intent.Ge, Left: &average, Values: []intent.Literal{{Text: "9"}}}}, "≥ 9"},
		"a figure":              {Edit{Do: SetFigure, Output: &average}, "<fee>"},
		"a figure by its field": {Edit{Do: DropFigure, Field: city}, "<city>"},
		"a column":              {Edit{Do: AddColumn, Field: city}, "<city>"},
		"a part of a figure":    {Edit{Do: ShareOf, Cond: &intent.Cond{Op: intent.Ge, Left: &average, Values: []intent.Literal{{Text: "9"}}}}, "≥ 9"},
		"rows of what is shown": {Edit{Do: OfFirst, Field: city}, "<city>"},
		"a day as a column":     {Edit{Do: DropFilter, Field: city, Date: &dates.Found{Text: "in May"}}, "in May"},
	} {
		for _, l := range []lang.Language{lang.English, lang.Chinese} {
			said := texts.Edit(l, c.edit, name)
			require.Contains(t, said, c.has, title)
			require.NotContains(t, said, "%", title)
		}
		require.NotEqual(t, texts.Edit(lang.English, c.edit, name), texts.Edit(lang.Chinese, c.edit, name), title)
	}
	require.NotContains(t, texts.Edit(lang.English, Edit{Do: SetValue, Field: city, Values: []string{"Lyon"}}, name), "<", "stored values stand as they are")
	require.NotEqual(t, texts.Edit(lang.English, Edit{Do: SetGrain, Unit: "month"}, name), texts.Edit(lang.English, Edit{Do: SetGrain, Unit: "week"}, name))
	two := Edit{Do: SetCountry, Values: []string{"BR", "SG"}}
	require.Contains(t, texts.Edit(lang.English, two, name), "<BR>, <SG>")
	require.Contains(t, texts.Edit(lang.Chinese, two, name), "<BR>、<SG>")
	for _, do := range []Do{Turn, Moved} {
		require.NotEqual(t, texts.Edit(lang.English, Edit{Do: do, Desc: true}, name), texts.Edit(lang.English, Edit{Do: do}, name), do)
	}
	require.NotContains(t, texts.Edit(lang.English, Edit{Do: OrderBy}, name), "<")
}

// TestAConditionOnWhatWasShownIsSaid: it stays in force in the turns that follow.
func TestAConditionOnWhatWasShownIsSaid(t *testing.T) {
	t.Parallel()
	texts, err := LoadTexts()
	require.NoError(t, err)
	city := intent.Output{Field: intent.Field{Kind: intent.KindDimension, ID: "city"}}
	in := intent.Intent{Filters: []intent.Cond{{Op: intent.In, Left: &city, Sub: &intent.Intent{Limit: 3}}}}
	for l, want := range map[lang.Language]string{lang.English: "In force: <city> among those shown before.", lang.Chinese: "当前条件：<city>为之前所示的。"} {
		require.Equal(t, want, texts.InForce(l, &in, func(id string) string { return "<" + id + ">" }))
	}
}

func TestSigns(t *testing.T) {
	t.Parallel()
	texts, err := LoadTexts()
	require.NoError(t, err)
	for op, want := range map[intent.Op]string{
		intent.Gt: ">", intent.Ge: "≥", intent.Lt: "<", intent.Le: "≤", intent.Eq: "=", intent.Ne: "≠", intent.In: "=", intent.NotIn: "≠", intent.Contains: "",
	} {
		require.Equal(t, want, texts.Sign(op), op)
	}
	require.NotEqual(t, texts.Say(lang.English, "in_force"), texts.Say(lang.Chinese, "in_force"))
	require.NotEmpty(t, texts.Say(lang.English, "in_force"))
}

// TestDays: two ends of one column are one range, with its last day in it; anything else
// is said as it stands.
func TestDays(t *testing.T) {
	t.Parallel()
	texts, err := LoadTexts()
	require.NoError(t, err)
	end := func(id string, op intent.Op, values ...string) intent.Cond {
		c := intent.Cond{Op: op, Left: &intent.Output{Field: intent.Field{Kind: intent.KindDimension, ID: id}}}
		for _, v := range values {
			c.Values = append(c.Values, intent.Literal{Text: v})
		}
		return c
	}
	from, to := end("day", intent.Ge, "2030-01-01"), end("day", intent.Lt, "2030-03-01")
	name := func(id string) string { return id }
	said, ok := texts.Days(lang.English, []intent.Cond{{}, from, to}, 1, name)
	require.True(t, ok)
	require.Equal(t, "day 2030-01-01 to 2030-02-28", said)
	for title, conds := range map[string][]intent.Cond{
		"one end":        {from},
		"two columns":    {from, end("night", intent.Lt, "2030-03-01")},
		"other ends":     {from, end("day", intent.Le, "2030-03-01")},
		"the other way":  {to, from},
		"no day":         {from, end("day", intent.Lt, "9")},
		"several values": {from, end("day", intent.Lt, "2030-03-01", "2030-04-01")},
		"no column":      {from, {Op: intent.Lt, Values: to.Values}},
	} {
		_, ok := texts.Days(lang.English, conds, 0, name)
		require.False(t, ok, title)
	}
	between := end("day", intent.Between, "1", "2")
	require.Equal(t, "day 1–2", texts.Condition(lang.English, between, name))
	require.Empty(t, texts.Condition(lang.English, intent.Cond{Op: intent.Eq}, name))
	nested := from
	nested.Sub = &intent.Intent{}
	require.Empty(t, texts.Condition(lang.English, nested, name))
}

// TestARefusalOfWhatHasNoNameIsAWholeSentence: of a comparison with nothing that is known, or of no
// edit at all.
func TestARefusalOfWhatHasNoNameIsAWholeSentence(t *testing.T) {
	t.Parallel()
	texts, err := LoadTexts()
	require.NoError(t, err)
	name := func(id string) string { return id }
	for _, r := range []Refusal{{Edit{Do: Bound}, WhyNotSaid}, {Edit{Do: SetGroup}, WhyUndated}, {Edit{}, WhyNotOver}} {
		for _, l := range []lang.Language{lang.English, lang.Chinese} {
			text := texts.Refusal(l, r, name)
			for _, broken := range []string{"%", ": .", ":  ", "：。", "by .", "：请"} {
				require.NotContains(t, text, broken)
			}
			require.NotEmpty(t, text)
		}
	}
	require.Contains(t, texts.Refusal(lang.English, Refusal{Edit{Do: Limit, N: 3}, WhyNothingToCut}, name), "The first 3 only.")
}
