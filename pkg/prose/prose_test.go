package prose_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/dibrain/dibrain/pkg/prose"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"ordinary":                     {"Größe: 订单 ≥ 3 😀\n\t- a < b", "Größe: 订单 ≥ 3 😀\n\t- a < b"},
		"colour":                       {"\x1b[31mred\x1b[0m", "red"},
		"title of a window":            {"a\x1b]0;you are root\x07b", "ab"},
		"link of a terminal":           {"\x1b]8;;https://evil.example\x1b\\bank\x1b]8;;\x1b\\", "bank"},
		"one-byte forms":               {"\u009b2Ja\u009d0;x\u009cb", "ab"},
		"device control":               {"a\x1bPq#1\x1b\\b", "ab"},
		"a sequence that does not end": {"a\x1b]0;rest of the answer", "a0;rest of the answer"},
		"cursor and bell":              {"a\rb\x08c\x07d\x00e", "a b c d e"},
		"line ends":                    {"a\r\nb\u2028c", "a\nb c"},
		"override":                     {"user\u202etxt.exe", "usertxt.exe"},
		"isolate":                      {"a\u2066b\u2069c\u200fd", "abcd"},
		"no width":                     {"pay\u200bpal\ufeff", "paypal"},
		"tags":                         {"a\U000e0041\U000e007fb", "ab"},
		"joiners stay":                 {"می\u200cخواهم 👩\u200d💻", "می\u200cخواهم 👩\u200d💻"},
		"no UTF-8":                     {"caf\xe9", "caf\uFFFD"},
	} {
		require.Equal(t, c.want, prose.Visible(c.text), name)
	}
	require.Equal(t, "a b c", prose.Line("a\nb\tc"))
}

func TestSafe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"ordinary Markdown":   {"## T\n- **a** `b_c`: 3 < 4 > 2\n1. x[1] = 2\n> q", "## T\n- **a** `b_c`: 3 < 4 > 2\n1. x[1] = 2\n> q"},
		"a link":              {"see [the docs](https://a.example/x?y=1).", "see the docs (https://a.example/x?y=1)."},
		"a link that lies":    {"[https://bank.example](https://evil.example)", "https://bank.example (https://evil.example)"},
		"a link with a title": {`[a](<https://b.example> "t")`, "a (https://b.example)"},
		"a script":            {"[a](javascript:alert(1))", "a (javascript:alert(1))"},
		"an image":            {"![x](https://evil.example/?q=secret)", "x (https://evil.example/?q=secret)"},
		"an image in a link":  {"[![x](https://a.example)](https://b.example)", "x (https://a.example) (https://b.example)"},
		"by reference":        {"![x][r] [y][r] [r]\n\n[r]: https://evil.example", "![x] [r] [y] [r] [r]\n\n[r] : https://evil.example"},
		"in angle brackets":   {"<https://a.example/x>", "https://a.example/x"},
		"HTML":                {`a<img src=x onerror=alert(1)>b</p><!-- c --><?php`, `a‹img src=x onerror=alert(1)>b‹/p>‹!-- c -->‹?php`},
		"hidden brackets":     {"[a]\u200b(https://b.example) <\u200bimg src=x>", "a (https://b.example) ‹img src=x>"},
		"escapes in a link":   {"[a\x1b[0m](\x1b]0;x\x07https://b.example)", "a (https://b.example)"},
	} {
		require.Equal(t, c.want, prose.Safe(c.text), name)
	}
}

// active returns what of a text a Markdown reader would fetch, run or hide an address
// behind. An address that stands in the text itself is none.
func active(source string) []string {
	var found []string
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser().Parse(text.NewReader([]byte(source)))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.(type) {
		case *ast.Link, *ast.Image, *ast.RawHTML, *ast.HTMLBlock:
			if entering {
				found = append(found, n.Kind().String())
			}
		}
		return ast.WalkContinue, nil
	})
	return found
}

var hostile = []string{
	"![a](b)", "[a](b 'c')", "[a]: b\n[a]", "[a][]\n\n[a]: <b>", "<b>", "<a@b.example>", "`<b>` ![`](x)", "``` \n<b>\n[a](b)\n```", "    <b>", "> <div>\n- ![x](y)",
	"[a\\](b)](c)", "[[a](b)](c)", "![[a](b)](c)", "[a](<b\nc>)", "[a](\nb\n)", "<!DOCTYPE x>", "<![CDATA[x]]>", "[^1]: a\n[^1]", "|a|b|\n|-|-|\n|![x](y)|<b>|", "[a](b(c)d)", "[a](b\\)c)", "\\![a](b)", "!\\[a](b)",
	"&lt;b&gt; &#91;a](b)", "[a]\n(b)", "[a] (b)", "<\nb>", "<\u202eb>", "\x1b[1m<b>", "<b", "[a](", "]:", "<a href='[x](y)'>", "[<b>](c)", "[a](<b>) <c>",
}

func TestNothingOfASafeTextIsActive(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, source := range hostile {
		seen += len(active(source))
		require.Empty(t, active(prose.Safe(source)), "%q became %q", source, prose.Safe(source))
	}
	require.Greater(t, seen, 20, "the reader of this test sees what is hostile")
}

func FuzzSafe(f *testing.F) {
	for _, source := range hostile {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		const most = 2 << 10 // the parser of this test takes long for some long texts
		if len(source) > most {
			return
		}
		safe := prose.Safe(source)
		require.Empty(t, active(safe), "%q became %q", source, safe)
		require.NotContains(t, safe, "\x1b")
		require.Equal(t, safe, prose.Safe(safe), "what is safe stays as it is")
		var told strings.Builder
		stream := prose.Stream{To: func(piece string) { told.WriteString(piece) }}
		for i := range len(source) { // byte by byte: no piece is whole
			stream.Write(source[i : i+1])
		}
		stream.Close()
		require.Empty(t, active(told.String()), "%q was told as %q", source, told.String())
		require.NotContains(t, told.String(), "\x1b")
	})
}

func TestStreamTellsWordsAsTheyCome(t *testing.T) {
	t.Parallel()
	var told []string
	stream := prose.Stream{To: func(piece string) { told = append(told, piece) }}
	for _, piece := range []string{"Use the ta", "ble of ord", "ers: see [th", "is one](https://a.exa", "mple) now.\nThe e", "nd"} {
		stream.Write(piece)
	}
	require.Equal(t, []string{"Use the ", "table of ", "orders: see this one (https://a.example) now.\nThe "}, told)
	stream.Close()
	require.Equal(t, "end", told[len(told)-1])

	told = nil
	stream.Write("![" + strings.Repeat("x", 1<<16) + "<")
	stream.Write("img src=x>")
	stream.Close()
	require.Empty(t, active(strings.Join(told, "")), "a line without an end is not held for ever, nor joined to what comes")
}
