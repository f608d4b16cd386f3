package pipeline

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
)

func TestDoubtsInTheAskersLanguage(t *testing.T) {
	t.Parallel()
	d, err := loadDoubts()
	require.NoError(t, err)
	cases := []struct {
		name   string
		doubts []string
		zh, en string
	}{
		{"a name", []string{"school has no name"}, "school 没有可以显示的名称", "school has no name"},
		{"ids are short", []string{"orders.buyer is a key"}, "orders.buyer 是键，不是可以比较的内容", "orders.buyer is a key"},
		{"each once", []string{"a condition that could not be read", "both", "a condition that could not be read"}, "有一个条件没有读懂；不确定是同时满足还是满足其一", "a condition that could not be read; both"},
		{"names change places", []string{"a share of ships by a column of ports"}, "无法按 ports 的字段计算 ships 的占比", "a share of ships by a column of ports"},
		{"no more than three", []string{"both", "all columns", "nothing to order by", "counting a number"}, "不确定是同时满足还是满足其一；不确定要显示哪些字段；没有说明按什么排序", "both; all columns; nothing to order by"},
		{"two columns", []string{"lake.main.visits.day or lake.main.visits.paid"}, "不确定是 visits.day 还是 visits.paid", "visits.day or visits.paid"},
		{"a sentence with or", []string{"a sum or an average would count rows more than once"}, "求和或平均会重复计算同一行", "a sum or an average would count rows more than once"},
		{"a value put into English", []string{"lake.main.visits.kind holds no amounts"}, "visits.kind 中没有所问的值", "visits.kind holds no amounts"},
		{"not known", []string{"a doubt of another day"}, "?", "a doubt of another day"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.zh, d.say(lang.Chinese, c.doubts, "?"))
			require.Equal(t, c.en, d.say(lang.English, c.doubts, "?"))
		})
	}
}

// Every doubt that the binding of a draft notes has Chinese words.
func TestEveryDoubtOfBindingIsSaidInChinese(t *testing.T) {
	t.Parallel()
	d, err := loadDoubts()
	require.NoError(t, err)
	files, err := filepath.Glob("../bind/*.go")
	require.NoError(t, err)
	noted := regexp.MustCompile(`\.doubt\("[a-z_]+", "([^"\\]*)"`)
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file) //nolint:gosec // of this repository
		require.NoError(t, err)
		for _, m := range noted.FindAllStringSubmatch(string(text), -1) {
			found++
			said := strings.NewReplacer("%s", "x", "%q", `"x"`).Replace(m[1])
			require.NotEmpty(t, d.chinese(said), "%s in %s", m[1], file)
		}
	}
	require.Positive(t, found)
}
