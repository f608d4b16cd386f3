package lang_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
)

func TestClip(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text  string
		bytes int
		want  string
	}{
		{"", 0, ""}, {"abc", 3, "abc"}, {"abc", 2, "ab"}, {"abc", 0, ""}, {"abc", -1, ""},
		{"日本語", 9, "日本語"}, {"日本語", 8, "日本"}, {"日本語", 4, "日"}, {"日本語", 2, ""},
	} {
		require.Equal(t, tc.want, lang.Clip(tc.text, tc.bytes), "%q, %d", tc.text, tc.bytes)
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text       string
		characters int
		want       string
	}{
		{"", 0, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"日本語", 3, "日本語"}, {"日本語です", 3, "日本…"}, {"abc", 1, "…"},
	} {
		require.Equal(t, tc.want, lang.Shorten(tc.text, tc.characters), "%q, %d", tc.text, tc.characters)
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", " \n\t ": "", "a": "a", " a\r\n  b\tc ": "a b c", "订单\n数": "订单 数"} {
		require.Equal(t, want, lang.OneLine(text), "%q", text)
	}
}

func TestCapital(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "a": "A", "ab c": "Ab c", "é": "É", "émile": "Émile", "я": "Я", "订单": "订单", "\xe9": "\xe9", "#": "#", "ǆ": "ǅ"} {
		require.Equal(t, want, lang.Capital(text), text)
	}
}
