package prefilter_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/prefilter"
)

var patterns = []string{
	`(?i)\bwho (owns|maintains|is responsible|is the owner)\b`,
	`(?i)\b(tell|say)\b.{0,12}\b(joke|story)\b`,
	`负责人|谁维护|[谁孰]负责`,
	`(?i)^\s*(hi|hello|thanks?)\b[\s!.]*$`,
	`(?P<name>[A-Za-z_]\w+)\s*(字段|列)?\s*(是什么意思|含义)`,
	`(?i)(as|in) an? (?:bar|line|pie)s? (chart|graph)?`,
	`(?i)kelvin(s{2}|t+)?x`,
	`a|b`, ``, `x*`, `(?i)ſtra`, `ab{2,3}c`, `[a-z]+ing`, "(?:\xef\xbf\xbd)x", `(one|two)(three|four)(five|six)(seven|eight)(nine|ten)(end|over)`,
}

var texts = []string{
	"", "who OWNS the orders table?", "Who is the owner", "tell me a story", "tell a tale", "谁负责订单表", "这张表的负责人是谁", "hello!", " thanks ",
	"gmv是什么意思", "gmv 字段 含义", "orders as a bar chart", "orders in a pies", "\u212aelvinssx", "KELVINTTTX", "kelvinx", "a", "ab", "x",
	"STRAsse", "\u017ftra", "abbbc", "abc", "abbc", "sing", "\xffx", "\xff", "onefourfivesevententhend onethreesixeightnineend", "twofourfiveseventenover",
}

// TestPatternsAnswerAsTheirExpressions holds each pattern against each text, and against the
// engine without the filter.
func TestPatternsAnswerAsTheirExpressions(t *testing.T) {
	t.Parallel()
	matched := 0
	for _, expression := range patterns {
		p, err := prefilter.Compile(expression)
		require.NoError(t, err)
		re := regexp.MustCompile(expression)
		require.Equal(t, re.SubexpIndex("name"), p.SubexpIndex("name"))
		for _, text := range texts {
			of := prefilter.Of(text)
			require.Equal(t, re.MatchString(text), p.MatchString(of), "%q in %q", expression, text)
			require.Equal(t, re.FindStringSubmatch(text), p.FindStringSubmatch(of), "%q in %q", expression, text)
			require.Equal(t, re.FindStringSubmatchIndex(text), p.FindStringSubmatchIndex(of), "%q in %q", expression, text)
			if re.MatchString(text) {
				matched++
			}
		}
	}
	require.Greater(t, matched, len(patterns))
}

func TestCompileRefusesWhatIsNoExpression(t *testing.T) {
	t.Parallel()
	_, err := prefilter.Compile("(")
	require.Error(t, err)
}

// FuzzMatch: any text against any pattern of a few shapes.
func FuzzMatch(f *testing.F) {
	for _, expression := range patterns {
		for _, text := range texts {
			f.Add(expression, text)
		}
	}
	f.Fuzz(func(t *testing.T, expression, text string) {
		re, err := regexp.Compile(expression)
		p, own := prefilter.Compile(expression)
		require.Equal(t, err == nil, own == nil)
		if err == nil {
			require.Equal(t, re.FindStringSubmatchIndex(text), p.FindStringSubmatchIndex(prefilter.Of(text)), "%q in %q", expression, text)
		}
	})
}

// BenchmarkMatch tells the gain as a ratio: texts that a pattern does not fit.
func BenchmarkMatch(b *testing.B) {
	const question = "For each customer and each day, compute the rolling average of the balance, only after thirty days of data, and list the months by total"
	var filtered []*prefilter.Pattern
	var plain []*regexp.Regexp
	for _, expression := range patterns[:6] {
		p, err := prefilter.Compile(expression)
		require.NoError(b, err)
		filtered, plain = append(filtered, p), append(plain, regexp.MustCompile(expression))
	}
	b.Run("filtered", func(b *testing.B) {
		for b.Loop() {
			of := prefilter.Of(question)
			for _, p := range filtered {
				p.MatchString(of)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			for _, re := range plain {
				re.MatchString(question)
			}
		}
	})
}
