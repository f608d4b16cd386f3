package words_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/router/words"
)

func TestEveryKeyHasItsSentences(t *testing.T) {
	t.Parallel()
	book, err := words.Open()
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), "words.go", nil, 0)
	require.NoError(t, err)
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		decl, ok := node.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			return true
		}
		for _, spec := range decl.Specs {
			for _, v := range spec.(*ast.ValueSpec).Values {
				key, err := strconv.Unquote(v.(*ast.BasicLit).Value)
				require.NoError(t, err)
				n++
				require.True(t, key == words.Done || book.Has(key), key)
			}
		}
		return false
	})
	require.Greater(t, n, 30)
}

func TestSay(t *testing.T) {
	t.Parallel()
	book, err := words.Open()
	require.NoError(t, err)
	require.Equal(t, "不客气。", book.Say(lang.Chinese, words.Welcome))
	require.Contains(t, book.Say(lang.English, words.CallLimit, "limit", "12"), "limit of 12 steps")
}
