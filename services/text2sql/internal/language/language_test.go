package language_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/internal/language"
)

// shown writes tokens as kind, text and, of words, the stem; a dot stands before what
// has no space before it.
func shown(tokens []language.Token) string {
	letters := map[language.Kind]string{language.Word: "w", language.Han: "h", language.Number: "n", language.Quoted: "q", language.Mark: "m"}
	var out []string
	for _, t := range tokens {
		s := letters[t.Kind] + ":" + t.Text
		if t.Stem != t.Text {
			s += "=" + t.Stem
		}
		if !t.Spaced {
			s = "." + s
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                    "",
		" \t\n":               "",
		"Orders of  Paris":    ".w:Orders=order w:of w:Paris=pari",
		"各省订单数":               ".h:各 .h:省 .h:订 .h:单 .h:数",
		"top5的VIP客户":          ".w:top5 .h:的 .w:VIP=vip .h:客 .h:户",
		"2,400.50 and 3.":     ".n:2,400.50 w:and n:3 .m:.",
		"1, 2":                ".n:1 .m:, n:2",
		"1,2,3":               ".n:1,2,3",
		"12%":                 ".n:12 .m:%",
		"-5":                  ".m:- .n:5",
		"7d 3rd 5天 9":         ".w:7d w:3rd n:5 .h:天 n:9",
		"2.5x":                ".w:2.5x",
		"naïve cafe\u0301s x": ".w:naïve=naïv w:cafe\u0301s=cafe\u0301 w:x",
		`"New York" 'a'`:      ".q:New York=new york q:a",
		"“上海”「北京」《书》‘a’ `b`": ".q:上海 .q:北京 .q:书 .q:a q:b",
		"don't 90's": ".w:don .m:' .w:t n:90 .m:' .w:s",
		`5" x "`:     `.n:5 .m:" w:x m:"`,
		`"" a`:       `.m:" .m:" w:a`,
		`"open`:      `.m:" .w:open`,
		"a_b-c":      ".w:a .m:_ .w:b .m:- .w:c",
		"x\xffy":     ".w:x .m:\xff=\uFFFD .w:y",
		"\u3000额":    "h:额",
	} {
		require.Equal(t, want, shown(language.Split(text)), "%q", text)
	}
}

func TestSplitLowers(t *testing.T) {
	t.Parallel()
	tokens := language.Split(`ÉCOLES "ÀB"`)
	require.Equal(t, "écoles", tokens[0].Lower)
	require.Equal(t, "ÉCOLES", tokens[0].Text)
	require.Equal(t, "àb", tokens[1].Lower)
	require.Equal(t, tokens[1].Lower, tokens[1].Stem)
}

// TestSplitLosesNothing cuts random texts: the tokens are those bytes of the text that
// are no spaces, in order, each of its kind, and none could be longer.
func TestSplitLosesNothing(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 0))
	pieces := []string{"a", "Zé", "e\u0301", "7", "40", ".", ",", " ", "  ", "\u3000", "\"", "'", "“", "”", "省", "数", "-", "%", "_", "「", "」", "`", "\xff"}
	for range 3000 {
		var b strings.Builder
		for range random.IntN(14) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text, last := b.String(), 0
		tokens := language.Split(text)
		for _, tok := range tokens {
			gap := text[last:tok.Start]
			require.Empty(t, strings.TrimFunc(gap, unicode.IsSpace), "%q", text)
			require.Equal(t, gap != "", tok.Spaced, "%q", text)
			require.Less(t, tok.Start, tok.End)
			last = tok.End
			raw := text[tok.Start:tok.End]
			if tok.Kind != language.Quoted {
				require.Equal(t, raw, tok.Text)
			}
			requireKind(t, tok, raw)
		}
		require.Empty(t, strings.TrimFunc(text[last:], unicode.IsSpace), "%q", text)
		for i := 1; i < len(tokens); i++ {
			a, b := tokens[i-1], tokens[i]
			if a.Kind == language.Word && !b.Spaced {
				r, _ := utf8.DecodeRuneInString(b.Text)
				require.False(t, b.Kind == language.Number || b.Kind == language.Word && unicode.IsLetter(r), "%q goes on in %q", a.Text, b.Text)
			}
		}
	}
}

func requireKind(t *testing.T, tok language.Token, raw string) {
	t.Helper()
	switch tok.Kind {
	case language.Han:
		require.Equal(t, 1, utf8.RuneCountInString(raw))
		r, _ := utf8.DecodeRuneInString(raw)
		require.True(t, unicode.Is(unicode.Han, r))
	case language.Number:
		require.Empty(t, strings.Trim(raw, "0123456789.,"), raw)
		require.NotContains(t, ".,", raw[len(raw)-1:])
	case language.Quoted:
		require.Contains(t, raw, tok.Text)
		require.Equal(t, utf8.RuneCountInString(tok.Text)+2, utf8.RuneCountInString(raw))
		require.NotEmpty(t, tok.Text)
	case language.Word:
		require.True(t, strings.ContainsFunc(raw, unicode.IsLetter), raw)
		require.False(t, strings.ContainsFunc(raw, unicode.IsSpace), raw)
	case language.Mark:
		require.Equal(t, 1, utf8.RuneCountInString(raw))
		r, _ := utf8.DecodeRuneInString(raw)
		require.False(t, unicode.IsLetter(r) || r >= '0' && r <= '9', raw)
	}
}

func TestSplitIsBounded(t *testing.T) {
	t.Parallel()
	require.Len(t, language.Split(strings.Repeat("字", language.MaxTokens)), language.MaxTokens)
	require.Len(t, language.Split(strings.Repeat("字", language.MaxTokens+5)), language.MaxTokens)
}
