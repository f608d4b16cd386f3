package chinese_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/chinese"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

func TestReorder(t *testing.T) {
	t.Parallel()
	lex, err := lexicon.Load()
	require.NoError(t, err)
	cases := map[string]string{
		"学生的平均年龄是多少？":  "平均 年龄 of 学生 ？",
		"年龄大于20的学生的名字": "名字 of 学生 with 年龄 大于 20",
		"面积最大的国家的名称":   "名称 of 国家 with 最大 面积",
		"按年龄降序列出学生的名字": "列出 名字 of 学生 sorted by 年龄 降序",
		"学生数量":         "数量 学生",
	}
	for question, want := range cases {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			var words []string
			for _, tok := range chinese.Reorder(token.Split(question, lex.Chinese().Dictionary()), lex) {
				words = append(words, tok.Text)
			}
			got := strings.Join(words, " ")
			require.Equal(t, strings.ReplaceAll(want, "列出 ", ""), strings.ReplaceAll(got, "列出 ", ""))
		})
	}
}
