package decide

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/router/tools"
)

// TestDataThatDoesNotHoldTogetherIsRefused: a slip of the pen in the lexicon, the rules or
// the wrappers is told where it stands, and is not a rule that never fits.
func TestDataThatDoesNotHoldTogetherIsRefused(t *testing.T) {
	t.Parallel()
	l, err := readLexicon([]byte(`greeting: {en: [hello, "good day*"], zh: [你好]}`))
	require.NoError(t, err)
	for text, says := range map[string]string{
		"rules: [{kind: talk, when: [greeting, has_sql], any: [bare], unless: [selected]}]\nkinds: {talk: {goal: execute, plan: [" + tools.AskHuman + "]}}\notherwise: talk": "",
		"rules: [{kind: talk, wen: [greeting]}]\nkinds: {talk: {}}\notherwise: talk":                                                                                         "wen",
		"rules: [{kind: talk}, {kind: other}]\nkinds: {talk: {}}\notherwise: talk":                                                                                           `rule 2: unknown kind "other"`,
		"rules: [{kind: talk, when: [greeting, hello]}]\nkinds: {talk: {}}\notherwise: talk":                                                                                 `rule 1: unknown signal "hello"`,
		"rules: [{kind: talk, any: [hello]}]\nkinds: {talk: {}}\notherwise: talk":                                                                                            `rule 1: unknown signal "hello"`,
		"rules: [{kind: talk, unless: [hello]}]\nkinds: {talk: {}}\notherwise: talk":                                                                                         `rule 1: unknown signal "hello"`,
		"kinds: {talk: {plan: [" + tools.AskHuman + ", dance]}}\notherwise: talk":                                                                                            `kind talk: unknown tool "dance"`,
		"kinds: {talk: {}}\notherwise: silence":                                                                                                                              `otherwise: unknown kind "silence"`,
		"kinds: {talk: {plan: [dance]}}\notherwise: silence":                                                                                                                 "unknown kind",
		"rules: [": "rules: ",
	} {
		_, err := readRules([]byte(text), l)
		if says == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, says, text)
	}
	for text, says := range map[string]string{
		"a: [":                            "lexicon: ",
		`a: {en: [hello, "..."]}`:         `empty phrase "..." of a`,
		`a: {zh: [你好, ""]}`:               `empty phrase "" of a`,
		`a: {like: ["(unclosed"]}`:        "lexicon: a: ",
		`a: {not: ["fine", "(unclosed"]}`: "lexicon: a: ",
	} {
		_, err := readLexicon([]byte(text))
		require.ErrorContains(t, err, says, text)
	}
	for _, text := range []string{"start: [", `start: ["(unclosed"]`, `end: ["fine", "(unclosed"]`} {
		_, _, err := readWrappers([]byte(text))
		require.Error(t, err, text)
	}
}

// TestTheFirstRuleThatFitsDecides: all of when, none of unless, and one of any where there
// is any; where no rule fits, what is otherwise.
func TestTheFirstRuleThatFitsDecides(t *testing.T) {
	t.Parallel()
	rs := &ruleSet{Otherwise: "none", Rules: []rule{
		{Kind: "first", When: []string{"a", "b"}},
		{Kind: "second", When: []string{"a"}, Unless: []string{"c", "d"}},
		{Kind: "third", Any: []string{"c", "e"}},
		{Kind: "fourth", When: []string{"b"}, Any: []string{"f"}, Unless: []string{"g"}},
	}}
	for on, want := range map[string]string{
		"": "none", "a": "second", "ab": "first", "abcd": "first", "ac": "third", "ad": "none", "b": "none", "c": "third", "e": "third", "bf": "fourth", "bfg": "none", "f": "none", "g": "none", "acd": "third",
	} {
		got := rs.kindOf(func(signal string) bool {
			for _, s := range on {
				if string(s) == signal {
					return true
				}
			}
			return false
		})
		require.Equal(t, want, got, on)
	}
}

// TestPhrases: a phrase is found as whole words in their order, one with a star as the
// beginning of a word, one with Han characters or a sign anywhere; "not" hides a text.
func TestPhrases(t *testing.T) {
	t.Parallel()
	l, err := readLexicon([]byte(`a: {en: [log, "run it", "quer*", "go on with*", "so-so", "don't", 👍], zh: [查 日志, 日志], like: ['\d+ rows?'], not: ['log ?book', 'catalog']}`))
	require.NoError(t, err)
	a := l.byName["a"]
	for text, want := range map[string]bool{
		"the log": true, "log": true, "Log!": true, "login": false, "blog": false, "run it": true, "run, it": true, "it run": false, "run": false, "run at it": false,
		"queries": true, "quer": true, "que": false, "my query": true, "go on without it": true, "go on": false, "go with": false, "so-so": true, "so so": false, "don’t": true, "do not": false,
		"好👍": true, "看日志吧": true, "查 日 志": true, "日记": false, "12 rows": true, "12 ROWS": true, "twelve rows": false, "log book": false, "the catalog": false, "log book and log": true, "看log吧": true, "": false,
	} {
		require.Equal(t, want, a.holds(prepare(text)), text)
		require.Equal(t, want, a.holds(looked(l, text)), text)
	}
	// What is taken out is the longest phrase that begins at a word; expressions take out nothing.
	for text, want := range map[string][]string{
		"please run it now": {"please", "now"}, "run": {"run"}, "12 rows of the log": {"12", "rows", "of", "the"}, "go on without it": {"it"}, "queries and queries": {"and"}, "": {},
	} {
		require.Equal(t, want, a.without(prepare(text)).words, text)
		require.Equal(t, want, a.without(looked(l, text)).words, text)
	}
	require.Equal(t, "看吧", a.without(prepare("看查日志吧")).compact, "the longest first, so that no stump is left")
	require.Equal(t, "看", a.without(prepare("看日志日志")).compact)
	require.True(t, l.leftover(prepare("the log"), "a"))
	require.False(t, l.leftover(prepare("log 日志 !?"), "a"))
	require.True(t, l.leftover(prepare("log 日记"), "a"))
}

// looked returns a message of which is known what its words may begin.
func looked(l *lexicon, text string) message {
	m := prepare(text)
	l.look(&m)
	return m
}

// TestWhatWordsMayBegin: only signals that a word of the message may begin a phrase of are
// looked for in its words, also once words were taken out.
func TestWhatWordsMayBegin(t *testing.T) {
	t.Parallel()
	l, err := readLexicon([]byte(`{a: {en: [log, "run it"]}, b: {en: [chart, run]}, c: {en: ["quer*"]}, d: {zh: [日志]}}`))
	require.NoError(t, err)
	may := func(m message) (names []string) {
		for i := range l.signals {
			if l.signals[i].mayBegin(m) {
				names = append(names, l.signals[i].name)
			}
		}
		return names
	}
	require.Equal(t, []string{"a", "b", "c", "d"}, may(prepare("the chart")), "nobody has looked")
	require.Equal(t, []string{"b", "c"}, may(looked(l, "the chart")))
	require.Equal(t, []string{"a", "b", "c"}, may(looked(l, "run")))
	require.Equal(t, []string{"c"}, may(looked(l, "it 日志")))
	m := l.byName["b"].without(looked(l, "log chart"))
	require.Equal(t, []string{"a", "b", "c"}, may(m))
	require.True(t, l.byName["a"].holds(m))
	s := newSignal("of none", []string{"the"})
	require.True(t, s.holds(looked(l, "the chart")), "a signal of no lexicon is looked for")
}

// TestSizes: two Han characters weigh as much as a word.
func TestSizes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "two words": 2, "三个字": 2, "四个字符": 2, "five 个": 2, "so-so, isn't it?": 3, "...": 0} {
		require.Equal(t, want, prepare(text).size(), text)
	}
}
