package synonym_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

func bilingual(tb testing.TB) *synonym.Bilingual {
	tb.Helper()
	b, err := synonym.NewBilingual()
	require.NoError(tb, err)
	return b
}

func TestChineseIsCutIntoWords(t *testing.T) {
	t.Parallel()
	b := bilingual(t)
	for _, c := range []struct{ text, want string }{
		{"学生的老师", "学生 的 老师"},
		{"存在问题", "存在 问题"}, // not the preposition within
		{"机场和航空公司", "机场 和 航空公司"},
		{"研究生命起源", "研究 生命 起源"},
		{"龘龘公司", "龘 龘 公司"},
		{"", ""},
	} {
		var words []string
		for _, w := range b.Words(c.text) {
			words = append(words, c.text[w.Start:w.End])
		}
		require.Equal(t, c.want, strings.Join(words, " "))
	}
}

func TestTranslations(t *testing.T) {
	t.Parallel()
	b := bilingual(t)
	for word, want := range map[string]string{"学生": "student", "机场": "airport", "图书馆": "library", "价格": "price", "医院": "hospital",
		"人口": "population", "宠物": "pet", "大楼": "building", "演唱会": "concert", "车站": "station", // no list of ours has them
	} {
		words := b.Words(word)
		require.Len(t, words, 1, word)
		require.True(t, words[0].Known)
		require.Contains(t, words[0].Translations, want)
	}
	require.False(t, b.Words("龘")[0].Known)
	require.Empty(t, b.Words("张")[0].Translations, "it counts tables, and means nothing by itself")
}

func FuzzChineseWords(f *testing.F) {
	b := bilingual(f)
	for _, s := range []string{"每个学生的老师", "a学", "\xe5\xad", "", "学\xff生"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, w := range b.Words(text) {
			if w.Start != at || w.End <= w.Start {
				t.Fatalf("%q: word %+v does not follow %d", text, w, at)
			}
			at = w.End
		}
		if at != len(text) {
			t.Fatalf("%q ends at %d", text, at)
		}
	})
}
