package token

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKindsOfTokens: how each piece of a question is cut, with its kind and its place.
func TestKindsOfTokens(t *testing.T) {
	t.Parallel()
	type piece struct {
		kind Kind
		text string
	}
	for text, want := range map[string][]piece{
		"2025-01-31 at 10:30":     {{Number, "2025-01-31"}, {Word, "at"}, {Number, "10:30"}},
		"1/2, 3.":                 {{Number, "1/2"}, {Mark, ","}, {Number, "3"}, {Mark, "."}},
		"2x4 and 3个":              {{Word, "2x4"}, {Word, "and"}, {Number, "3"}, {Han, "个"}},
		"order_id R&D a.b e-mail": {{Word, "order_id"}, {Word, "R&D"}, {Word, "a.b"}, {Word, "e"}, {Mark, "-"}, {Word, "mail"}},
		"“A b” ‘c’ `d` 「e」《f》":    {{Quoted, "A b"}, {Quoted, "c"}, {Quoted, "d"}, {Quoted, "e"}, {Quoted, "f"}},
		"it's 'rock n'roll'":      {{Word, "it"}, {Quoted, "rock n'roll"}},
		"\"open":                  {{Mark, "\""}, {Word, "open"}},
		"\"\"":                    {{Mark, "\""}, {Mark, "\""}},
		"don't go":                {{Word, "do"}, {Word, "not"}, {Word, "go"}},
		"shops' names":            {{Word, "shops"}, {Word, "names"}},
		"三百二十 and 3万":             {{Number, "320"}, {Word, "and"}, {Number, "30000"}},
		"can’t":                   {{Word, "ca"}, {Word, "not"}},
	} {
		var got []piece
		for _, tok := range Split(text, NewDictionary()) {
			got = append(got, piece{tok.Kind, tok.Text})
		}
		require.Equal(t, want, got, text)
	}
	long := strings.Repeat("x", 200)
	require.Equal(t, Quoted, Split(`"`+long+`"`, nil)[0].Kind)
	require.Equal(t, Mark, Split(`"`+long+`x"`, nil)[0].Kind, "no name is longer")
	require.Equal(t, "a", Split(`" a "`, nil)[0].Text)
	require.Equal(t, "a b", Split(`"A B"`, nil)[0].Lower)
}

func TestQuestionsAreBounded(t *testing.T) {
	t.Parallel()
	require.Len(t, Split(strings.Repeat("a ", 500), nil), MaxTokens)
	require.Len(t, Split(strings.Repeat("订 ", 500), NewDictionary()), MaxTokens)
	require.Len(t, Split(strings.Repeat("a ", MaxTokens), nil), MaxTokens)
}

func TestPossessives(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"the shop's": true, "shop’s name": true, "shops' names": true, "shops": false, "bus": false, "shop'sx": false, "shop' name": false} {
		found := false
		for _, tok := range Split(text, nil) {
			found = found || tok.Possessive
		}
		require.Equal(t, want, found, text)
	}
	tokens := Split("the shop's name", nil)
	require.Equal(t, "shop", tokens[1].Text)
	require.Equal(t, [2]int{4, 10}, [2]int{tokens[1].Start, tokens[1].End}, "the mark belongs to its place")
}

// TestMerge puts one time in the place of its words and leaves the others as they are.
func TestMerge(t *testing.T) {
	t.Parallel()
	text := "fees of last month's end now"
	tokens := Split(text, nil)
	merged := Merge(tokens, 8, 20, Period{First: "2025-06-01", Last: "2025-06-30"})
	var words []string
	for _, tok := range merged {
		words = append(words, tok.Text)
	}
	require.Equal(t, []string{"fees", "of", "last month", "end", "now"}, words)
	at := merged[2]
	require.Equal(t, Time, at.Kind)
	require.Equal(t, &Period{First: "2025-06-01", Last: "2025-06-30"}, at.Period)
	require.Equal(t, [2]int{8, 20}, [2]int{at.Start, at.End})
	require.Equal(t, "last month", at.Lower)
	require.False(t, at.Possessive)
	require.Len(t, Split(text, nil), len(tokens), "the tokens stay as they were")
	require.Equal(t, tokens, Merge(tokens, 9, 10, Period{}), "no whole word is in it")
}

func TestCapital(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"Lyon": true, "Éva": true, "lyon": false, "3rd": false} {
		require.Equal(t, want, Token{Text: text}.Capital(), text)
	}
}

func TestPart(t *testing.T) {
	t.Parallel()
	whole := Token{Kind: Han, Text: "订单数", Lower: "订单数", Stem: "订单数", Start: 3, End: 12, Glosses: []Gloss{{Text: "orders"}}}
	require.Equal(t, Token{Kind: Han, Text: "订单", Lower: "订单", Stem: "订单", Start: 3, End: 12}, whole.Part("订单"))
}

// TestDictionaries: a copy learns alone, and only Chinese words of some length are taken.
func TestDictionaries(t *testing.T) {
	t.Parallel()
	own := NewDictionary("订单", "gmv")
	copied := own.Clone()
	copied.Add("订单号", strings.Repeat("长", maxWordRunes), strings.Repeat("久", maxWordRunes+1))
	require.Equal(t, []string{"订单", "号"}, own.cut("订单号"))
	require.Equal(t, []string{"订单号"}, copied.cut("订单号"))
	require.Equal(t, []string{"订单"}, copied.cut("订单"))
	require.Len(t, copied.cut(strings.Repeat("长", maxWordRunes)), 1)
	require.Len(t, copied.cut(strings.Repeat("久", maxWordRunes+1)), maxWordRunes+1)
	require.Equal(t, []string{"订"}, own.Parts("订"))
	require.Equal(t, []string{"订", "单"}, own.Parts("订单"), "the word itself is no part of it")
	common := Over(words{"订单": 1, "订": 9, "单": 9})
	common.Add("订单")
	cost, ok := common.cost("订单")
	require.True(t, ok)
	require.InDelta(t, 1, cost, 0, "a common word stays as common")
	_, ok = NewDictionary("gmv").cost("gmv")
	require.False(t, ok, "it is not Chinese")
}

func TestStems(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"ads": "ad", "gas": "gas", "was": "was", "his": "his", "managers": "manager", "doctors": "doctor", "orders": Stem("order"),
		"children": "child", "dogs": "dog", "data": Stem("datum"), "series": Stem("series"),
	} {
		require.Equal(t, want, Stem(word), word)
	}
	require.NotEqual(t, Stem("managed"), Stem("managers"))
}
