package schema

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/semantic"
)

// TestKin: a word that is derived from a stored value or from a name stands for it, as far as the
// other names it exactly.
func TestKin(t *testing.T) {
	t.Parallel()
	v := view(t, trade())
	lex := tongue{
		kin:  map[string][]string{"parisian": {"texas", "paris"}, "reddish": {"red", "red wine"}, "weighty": {"weight"}, "pricey": {"price"}, "yorker": {"new york", "new delhi"}},
		done: map[string][]string{"sequenced": {"order"}, "order": {"paris"}, "depart": {"departure"}, "pricing": {"price"}, "importance": {"vip"}},
	}
	for asked, want := range map[string]string{
		"parisian": "customers.city=Paris 0.85",
		"yorker":   "customers.city=New York 0.85", // the commoner sense of one column
		"reddish":  "products.category=red wine 0.85",
		"order":    "", // what is done is no value
		"zorb":     "",
	} {
		require.Equal(t, want, shownValues(v.ValuesOfKin(asked, lex)), asked)
	}
	for _, x := range v.ValuesOfKin("parisian", lex) {
		require.True(t, x.Kin)
	}
	for asked, want := range map[string]string{
		"pricey":     "products.price 0.850",
		"sequenced":  "orders 0.850",
		"depart":     "", // the departure has a delay, and is none
		"yorker":     "",
		"pricing":    "", // of the same stem: what that names is known
		"importance": "", // whether there is something is not what it is
	} {
		require.Equal(t, want, shown(v.NamesOfKin([]string{asked}, lex)), asked)
	}
	require.Equal(t, "products.price 0.850", shown(v.NamesOfKin([]string{"priciest", "pricey"}, lex)), "a form of it")
}

// TestMorphemes: a character stands for the one thing that all names which have it are about.
func TestMorphemes(t *testing.T) {
	t.Parallel()
	v := view(t, &semantic.Layer{
		Entities: []semantic.Entity{entity("借阅", "借阅编号"), entity("图书", "图书编号"), entity("读者记录", "读者编号"), entity("城南分馆", "编号")},
		Dimensions: []semantic.Dimension{
			dim("借阅", "借阅编号 bigint"), dim("借阅", "图书编号 bigint"), dim("借阅", "借出日期 date"),
			dim("图书", "图书编号 bigint"), dim("图书", "作者 varchar"), dim("图书", "纸张名称 varchar"), dim("图书", "定价 double"),
			dim("读者记录", "读者编号 bigint"), dim("读者记录", "城区 varchar"), dim("城南分馆", "编号 bigint"), dim("城南分馆", "分馆名称 varchar"),
		},
	})
	for character, want := range map[string]string{
		"借": "借阅 0.750",
		"书": "图书 0.750",
		"读": "读者记录 0.750",
		"纸": "图书.纸张名称 0.750",
		"南": "城南分馆 0.750",
		"者": "", // of readers and of authors
		"城": "", // of a branch and of districts
		"记": "", // says no more than that there are rows
		"张": "", // no beginning of the column's name
		"定": "", // of a number
		"号": "",
	} {
		var got []Hit
		if h, ok := v.Morpheme(character); ok {
			got = append(got, h)
		}
		require.Equal(t, want, shown(got), character)
	}
	lex := tongue{shared: map[string][]Morpheme{
		"loan": {{"款", 0.6}, {"借", 0.4}}, "library": {{"书", 0.5}, {"南", 0.45}}, "book": {{"书", 0.8}, {"南", 0.3}}, "nurse": {{"护", 0.7}},
	}}
	for asked, want := range map[string]string{"loan": "借阅 0.750", "book": "图书 0.750", "library": "", "nurse": "", "zorb": ""} {
		var got []Hit
		if h, ok := v.MorphemeOf([]string{asked + "s", asked}, lex); ok {
			got = append(got, h)
		}
		require.Equal(t, want, shown(got), asked)
	}
	_, ok := view(t, &semantic.Layer{Entities: []semantic.Entity{entity("loans", "id")}}).MorphemeOf([]string{"loan"}, lex)
	require.False(t, ok, "no Chinese name")
}
