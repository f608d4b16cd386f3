package schema

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMeant(t *testing.T) {
	t.Parallel()
	lex := words
	lex.meanings = map[string][]Meaning{
		"good":  {{Stem: "product", Logit: -1}, {Stem: "price", Logit: -2}},
		"label": {{Stem: "name", Logit: 0}},
	}
	v := New(trade(), nil, nil, units, lex)
	said := func(stem string) []Gloss { return []Gloss{{Stems: []string{stem}, Score: 1}} }

	list := v.Meant(said("good"), lex)
	require.NotEmpty(t, list)
	require.NotNil(t, list[0].Table)
	require.Equal(t, "products", list[0].Table.ID)
	require.InDelta(t, 1/(1+math.Exp(1-meantWhole-meantTable)), list[0].Likely, 1e-9)
	for i := range list[1:] {
		require.GreaterOrEqual(t, list[i].Likely, list[i+1].Likely)
	}
	half := v.Meant([]Gloss{{Stems: []string{"good"}, Score: 0.5}}, lex)
	require.InDelta(t, list[0].Likely/2, half[0].Likely, 1e-9, "an unlikely translation is an unlikely meaning")

	require.Empty(t, v.Meant(said("zorb"), lex))
	require.Empty(t, v.Meant([]Gloss{{Stems: []string{"good", "label"}, Score: 1}}, lex))
	for _, m := range v.Meant(said("label"), lex) {
		require.Len(t, m.Column.Words(), 1, "the name of a thing says nothing of what it is")
	}
}

// A word for what a unit measures means the numbers that have such a unit.
func TestMeantByUnit(t *testing.T) {
	t.Parallel()
	layer := trade()
	layer.Dimensions = append(layer.Dimensions, dim("仓库", "租金(元) double"))
	v := New(layer, nil, nil, units, words)
	list := v.Meant([]Gloss{{Stems: []string{"money"}, Score: 1}}, words)
	var found []string
	for _, m := range list {
		require.Equal(t, "money", measures[m.Column.Unit])
		require.InDelta(t, meantKind, m.Likely, 1e-9)
		found = append(found, m.Column.Expr)
	}
	require.Contains(t, found, "租金(元)")
}
