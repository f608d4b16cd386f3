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
		{"a name", []string{"school has no name"}, "读到要列出 school 的名称", "The rows of school were read as things to be listed by name"},
		{"ids are short", []string{"lake.main.orders.buyer is a key"}, "orders.buyer 只用于区分各行", "orders.buyer only tells rows apart"},
		{"names change places", []string{"a share of ships by a column of ports"}, "读到按 ports 的字段计算 ships 的占比", "A share of ships was read, by a column of ports."},
		{"two columns", []string{"lake.main.visits.day or lake.main.visits.paid"}, "不确定是 visits.day 还是 visits.paid。", "visits.day or visits.paid may be meant."},
		{"a sentence with or", []string{"a sum or an average would count rows more than once"}, "求和或平均会重复计算同一行。", "A total or an average would count rows more than once."},
		{"a value put into English", []string{`lake.main.visits.kind holds no "cash"`}, "visits.kind 中没有所问的值。", `No visits.kind is called "cash".`},
		{"a figure of a text", []string{"this combination cannot be written yet: avg of lake.main.visits.kind, which holds no numbers"}, "读到对 visits.kind 做汇总（avg），但它是文本字段", "A figure (avg) of visits.kind was read, which holds texts."},
		{"amounts, not a value", []string{"lake.main.visits.kind holds no amounts"}, "visits.kind 不是可以求和或平均的数值。", "visits.kind holds no amounts that"},
		{"not known", []string{"a doubt of another day"}, "?", "?"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.True(t, strings.HasPrefix(d.say(lang.Chinese, c.doubts, "?"), c.zh), d.say(lang.Chinese, c.doubts, "?"))
			require.True(t, strings.HasPrefix(d.say(lang.English, c.doubts, "?"), c.en), d.say(lang.English, c.doubts, "?"))
		})
	}
	many := []string{"both", "all columns", "both", "nothing to order by", "counting a number"}
	require.Equal(t, 3, strings.Count(d.say(lang.English, many, "?"), d.sentence(lang.English, "both"))+
		strings.Count(d.say(lang.English, many, "?"), d.sentence(lang.English, "all columns"))+strings.Count(d.say(lang.English, many, "?"), d.sentence(lang.English, "nothing to order by")), "each once, and no more than three")
}

// TestEveryDoubtIsSaidInBothLanguages: whatever a stage notes of a reading has a sentence in
// English and one in Chinese, with all names in it and nothing else.
func TestEveryDoubtIsSaidInBothLanguages(t *testing.T) {
	t.Parallel()
	d, err := loadDoubts()
	require.NoError(t, err)
	for folder, noted := range map[string]*regexp.Regexp{
		"bind": regexp.MustCompile(`\.doubt\("[a-z_]+", "([^"\\]*)"`), "metric": regexp.MustCompile(`\.doubt\("([^"\\]*)"`), "parse": regexp.MustCompile(`\.doubt\([0-9.]+, "([^"\\]*)"`),
		"sqlgen": regexp.MustCompile(`errors\.New\("([^"\\]*)"`), "pipeline": regexp.MustCompile(`Doubts: +\[\]string\{"([^"\\]*)"`),
	} {
		files, err := filepath.Glob("../" + folder + "/*.go")
		require.NoError(t, err)
		found := 0
		for _, file := range files {
			text, err := os.ReadFile(file) //nolint:gosec // of this repository
			require.NoError(t, err)
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range noted.FindAllStringSubmatch(string(text), -1) {
				found++
				said := strings.NewReplacer("%s", "x", "%q", `"x"`).Replace(m[1])
				if strings.HasSuffix(said, ": ") || folder == "sqlgen" && !strings.Contains(said, ":") {
					said = strings.TrimSuffix(said, ": ") + ": x"
				}
				for _, l := range []lang.Language{lang.English, lang.Chinese} {
					sentence := d.sentence(l, said)
					require.NotEmpty(t, sentence, "%s in %s", said, file)
					require.NotContains(t, sentence, "%!", said)
				}
			}
		}
		require.Positive(t, found, folder)
	}
}
