package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/semantic"
)

func TestValues(t *testing.T) {
	t.Parallel()
	v := view(t, trade())
	for asked, want := range map[string][2]string{ // whole, and with parts
		"paris":        {"customers.city=Paris 1.00", "customers.city=Paris 1.00"},
		"PARIS":        {"customers.city=Paris 1.00", "customers.city=Paris 1.00"},
		"New York":     {"customers.city=New York 1.00", "customers.city=New York 1.00"},
		"new-york":     {"customers.city=New York 1.00", "customers.city=New York 1.00"},
		"big apple":    {"customers.city=New York 1.00", "customers.city=New York 1.00"},
		"sao tome":     {"customers.city=São Tomé 1.00", "customers.city=São Tomé 1.00"},
		"sports":       {"", "products.category=sports shoes 0.70 part"},
		"sports shoe":  {"products.category=sports shoes 0.97", "products.category=sports shoes 0.97"},
		"sports shoes": {"products.category=sports shoes 1.00", "products.category=sports shoes 1.00"},
		"red wines":    {"products.category=red wine 0.97", "products.category=red wine 0.97"},
		"red":          {"products.category=红色 0.90", "products.category=红色 0.90"},
		"crimson":      {"", ""}, // an unlikely translation is none
		"红色":           {"products.category=红色 1.00", "products.category=红色 1.00"},
		"上海":           {"customers.city=上海 1.00", "customers.city=上海 1.00"},
		"上海南":          {"customers.city=上海南 1.00", "customers.city=上海南 1.00"},
		"上海南站":         {"", ""},
		"san":          {"", ""}, // too short for a part
		"new":          {"", ""},
		"y":            {"", ""}, // of a flag
		"":             {"", ""},
	} {
		require.Equal(t, want[0], shownValues(v.Values(asked, false)), asked)
		require.Equal(t, want[1], shownValues(v.Values(asked, true)), asked)
	}
	require.Equal(t, 2, v.LongestValue())
}

func TestValuesAcross(t *testing.T) {
	t.Parallel()
	v := view(t, trade())
	for asked, want := range map[string]string{
		"巴黎": "customers.city=Paris 0.90",
		"红":  "", // a translation of a translation is none
		"客户": "",
		"火星": "",
	} {
		require.Equal(t, want, shownValues(v.ValuesAcross(asked, words)), asked)
	}
	require.Empty(t, v.ValuesAcross("红色", words), "it is stored in Chinese")
}

// TestStatesAcross: a word in Chinese is the stored value that is a form of what it means, where
// there is one.
func TestStatesAcross(t *testing.T) {
	t.Parallel()
	lex := tongue{english: map[string][]Gloss{
		"失败": {{Stems: []string{"defeat"}, Text: "defeated", Score: 0.89}, {Stems: []string{"fail"}, Text: "fail", Score: 0.86}, {Stems: []string{"failur"}, Text: "failure", Score: 0.8}},
		"关闭": {{Stems: []string{"close"}, Text: "close", Score: 0.9}},
		"不见": {{Stems: []string{"not", "fail"}, Text: "not fail", Score: 0.9}},
	}}
	one := view(t, layerOf(semantic.RoleCategory, "status varchar", "ok", "Failed", "new"))
	require.Equal(t, "things.status=Failed 0.73", shownValues(one.ValuesAcross("失败", lex)))
	require.Empty(t, one.ValuesAcross("关闭", lex))
	require.Empty(t, one.ValuesAcross("不见", lex), "more than one word")
	two := view(t, layerOf(semantic.RoleCategory, "status varchar", "Failed", "Defeated", "Closed"))
	require.Empty(t, two.ValuesAcross("失败", lex), "which of them nobody said")
	require.Equal(t, "things.status=Closed 0.77", shownValues(two.ValuesAcross("关闭", lex)))
	stored := view(t, layerOf(semantic.RoleCategory, "status varchar", "defeated", "fail", "new"))
	require.Empty(t, stored.ValuesAcross("失败", lex))
}

// layerOf is a table with one column of values.
func layerOf(role semantic.Role, decl string, values ...string) *semantic.Layer {
	d := dim("things", decl, values...)
	d.Role = role
	return &semantic.Layer{Entities: []semantic.Entity{entity("things")}, Dimensions: []semantic.Dimension{d}}
}

// TestBegunValues: values that begin alike are meant together up to a bound.
func TestBegunValues(t *testing.T) {
	t.Parallel()
	many := func(n int, form string) []string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprintf(form, string(rune('a'+i))))
		}
		return out
	}
	begun := func(l *semantic.Layer, asked string) []string {
		found := view(t, l).Values(asked, true)
		if len(found) == 0 {
			return nil
		}
		require.Len(t, found, 1)
		require.True(t, found[0].Part)
		return found[0].Stored
	}
	require.Equal(t, many(maxBegun, "north %s"), begun(layerOf(semantic.RoleCategory, "kind varchar", many(maxBegun, "north %s")...), "north"))
	require.Empty(t, begun(layerOf(semantic.RoleCategory, "kind varchar", many(maxBegun+1, "north %s")...), "north"))
	// A text that is no category begins with two words and more, or in Chinese.
	plain := layerOf(semantic.RoleText, "kind varchar", "north sea coast", "华东大区")
	require.Empty(t, begun(plain, "north"))
	require.Equal(t, []string{"north sea coast"}, begun(plain, "north sea"))
	require.Equal(t, []string{"华东大区"}, begun(plain, "华东"))
	require.Equal(t, []string{"华东大区"}, begun(plain, "华东大"))
	require.Empty(t, begun(plain, "华"))
	require.Empty(t, begun(layerOf(semantic.RoleCategory, "kind bigint", "north sea"), "north"), "no text")
	require.Empty(t, begun(layerOf(semantic.RoleCategory, "kind varchar", "2030-01-02 10:00"), "2030 01"), "a day")
}

func TestLongValuesAreNotLookedUp(t *testing.T) {
	t.Parallel()
	eight, nine := strings.TrimSpace(strings.Repeat("ab ", 8)), strings.TrimSpace(strings.Repeat("ab ", 9))
	l := layerOf(semantic.RoleCategory, "kind varchar", eight, nine, strings.Repeat("长", 40), strings.Repeat("短", 41))
	v := view(t, l)
	require.Len(t, v.Values(eight, false), 1)
	require.Empty(t, v.Values(nine, false))
	require.Len(t, v.Values(strings.Repeat("长", 40), false), 1)
	require.Empty(t, v.Values(strings.Repeat("短", 41), false))
	require.Equal(t, 8, v.LongestValue())
	require.Len(t, beginnings(strings.Repeat("短", 50)), 39)
	require.Len(t, beginnings(strings.TrimSpace(strings.Repeat("abcd ", 12))), 8)
	require.Equal(t, []string{"abc d"}, beginnings("abc d e"))
}

// TestValuesInEitherNumber: a value is found in the other number, unless one of its
// forms is another value.
func TestValuesInEitherNumber(t *testing.T) {
	t.Parallel()
	v := view(t, layerOf(semantic.RoleCategory, "kind varchar", "shoes", "cat", "is", "ox"))
	for asked, want := range map[string]string{
		"shoe":  "things.kind=shoes 0.97",
		"cats":  "things.kind=cat 0.97",
		"cat":   "things.kind=cat 1.00",
		"i":     "",
		"oxes":  "",
		"shoes": "things.kind=shoes 1.00",
	} {
		require.Equal(t, want, shownValues(v.Values(asked, false)), asked)
	}
	v = view(t, layerOf(semantic.RoleCategory, "kind varchar", "athletics", "handball"))
	require.NotEmpty(t, v.Values("athletic", true))
	require.Empty(t, v.Values("athletes", true), "those who are in a field are not the field")
	v = view(t, layerOf(semantic.RoleCategory, "kind varchar", "cat", "cats"))
	require.Len(t, v.Values("cats", false), 2)
	require.Len(t, v.Values("cat", false), 2)
}

func TestValueKey(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"FJA-Filming":     "fja filming",
		" fja   filming ": "fja filming",
		"(A&B): c/d!":     "a b c d",
		"Ｆｕｌｌ":            "full",
		"São":             "sao",
		"O’Neil's":        "o neil s",
		"--":              "",
		"上海-浦东":           "上海 浦东",
		"a#1;b?":          "a 1 b",
	} {
		require.Equal(t, want, ValueKey(text), text)
		require.Equal(t, want, ValueKey(ValueKey(text)), text)
	}
}
