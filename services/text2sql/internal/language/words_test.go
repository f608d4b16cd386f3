package language_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/services/text2sql/internal/language"
)

// written are the words as their files have them.
type written struct {
	Tags       map[string][]string    `yaml:"tags"`
	Alike      [][]string             `yaml:"alike"`
	Adjectives []*language.Adjective  `yaml:"adjectives"`
	Units      map[string][]unitNames `yaml:"-"`
}

type unitNames struct {
	Factor float64  `yaml:"factor"`
	Of     []string `yaml:"of"`
	Names  []string `yaml:"names"`
}

func open(t *testing.T) (*language.Words, written) {
	t.Helper()
	w, err := language.Load()
	require.NoError(t, err)
	var in written
	for name, into := range map[string]any{"words.yaml": &in, "units.yaml": &in.Units} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, yaml.Unmarshal(text, into))
	}
	require.NotEmpty(t, in.Tags)
	require.NotEmpty(t, in.Alike)
	require.NotEmpty(t, in.Adjectives)
	require.NotEmpty(t, in.Units)
	return w, in
}

// keyOf is how a person's text is looked up.
func keyOf(text string) string { return language.Key(language.Split(text)) }

// TestEachPhraseIsFoundAsPeopleWriteIt looks every phrase up in capitals and with more
// spaces, and counts that no phrase has a tag which the file does not give it.
func TestEachPhraseIsFoundAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	w, in := open(t)
	want := map[string]map[language.Tag]bool{}
	longest := 0
	put := func(phrase, name, arg string) {
		k := keyOf(phrase)
		if want[k] == nil {
			want[k] = map[language.Tag]bool{}
		}
		want[k][language.Tag{Name: name, Arg: arg}] = true
		longest = max(longest, len(language.Split(phrase)))
		require.Equal(t, k, keyOf(strings.ToUpper(strings.ReplaceAll(phrase, " ", "   "))), phrase)
	}
	for key, list := range in.Tags {
		name, arg, _ := strings.Cut(key, ":")
		for _, phrase := range list {
			put(phrase, name, arg)
		}
	}
	for _, a := range in.Adjectives {
		most, more := "lo", "<"
		if a.Down {
			most, more = "hi", ">"
		}
		for _, s := range a.Most {
			put(s, "super", most)
			if plain, ok := strings.CutPrefix(s, "最"); ok && len(a.Attributes) > 0 {
				for _, by := range []string{"多少", "了多少", "几"} {
					put(plain+by, "gap", most)
				}
			}
		}
		for _, s := range a.More {
			put(s, "cmp", more)
			if plain, ok := strings.CutSuffix(s, " than"); ok {
				put(plain, "comparative", most)
			}
		}
		for _, s := range a.How {
			put(s, "howbig", "")
		}
	}
	for phrase, tags := range want {
		have := map[language.Tag]bool{}
		for _, tag := range w.Tags(phrase) {
			have[tag] = true
		}
		require.Equal(t, tags, have, phrase)
	}
	for quantity, list := range in.Units {
		for _, u := range list {
			for _, name := range u.Names {
				longest = max(longest, len(language.Split(name)))
				got, ok := w.Unit(keyOf(name))
				require.True(t, ok, name)
				require.Equal(t, language.Unit{Quantity: quantity, Factor: u.Factor, Of: u.Of}, got, name)
			}
		}
	}
	require.Equal(t, longest, w.Longest())
	require.Empty(t, w.Tags("zyzzyva"))
	_, ok := w.Unit("zyzzyva")
	require.False(t, ok)
}

// TestAPhraseIsOneThingWhateverItsScript keeps keys of different phrases apart.
func TestAPhraseIsOneThingWhateverItsScript(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"有 多少":      "有多少",
		"Per  CENT": "per cent",
		"top前 5名":   "top 前 5 名",
		"no. of":    "no . of",
		"":          "",
	} {
		require.Equal(t, want, keyOf(text), text)
	}
}

func TestAdjectives(t *testing.T) {
	t.Parallel()
	w, in := open(t)
	owners := map[string][]*language.Adjective{}
	for _, a := range in.Adjectives {
		for _, s := range append(append([]string{}, a.Most...), a.More...) {
			owners[keyOf(s)] = append(owners[keyOf(s)], a)
		}
	}
	for phrase, of := range owners {
		require.NotNil(t, w.Adjective(phrase), phrase)
		require.Contains(t, of, w.Adjective(phrase), phrase)
	}
	require.Nil(t, w.Adjective("zyzzyva"))
	// The two languages order alike.
	for zh, en := range map[string]string{"最长": "longest", "最重": "heaviest", "最贵": "most expensive", "最早": "earliest", "最慢": "slowest", "重于": "heavier than"} {
		require.Equal(t, w.Adjective(en).Down, w.Adjective(keyOf(zh)).Down, zh)
		require.Equal(t, w.Adjective(en).Time, w.Adjective(keyOf(zh)).Time, zh)
		require.Equal(t, w.Adjective(en).Attributes, w.Adjective(keyOf(zh)).Attributes, zh)
		require.Equal(t, w.Tags(en), w.Tags(keyOf(zh)), zh)
	}
}

func TestAlike(t *testing.T) {
	t.Parallel()
	w, in := open(t)
	for _, group := range in.Alike {
		for _, a := range group {
			require.NotZero(t, w.Group(a), a)
			require.NotZero(t, w.Group(language.Split(a)[0].Stem)+w.Group(a), a)
			for _, b := range group {
				require.True(t, w.Alike(a, b), "%s %s", a, b)
				require.Equal(t, w.Group(a), w.Group(b))
			}
			require.False(t, w.Alike(a, "zyzzyva"))
			require.False(t, w.Alike("zyzzyva", a))
		}
	}
	require.False(t, w.Alike("zyzzyva", "zyzzyva"), "words of no group stand for nothing")
	require.Zero(t, w.Group("zyzzyva"))
	require.True(t, w.Alike(language.Split("revenues")[0].Stem, "收入"), "stems count too")
}

// TestEndsOfAnyOrder: a word may be the superlative of an attribute and of any order.
func TestEndsOfAnyOrder(t *testing.T) {
	t.Parallel()
	w, err := language.Load()
	require.NoError(t, err)
	require.NotNil(t, w.Adjective("最高"))
	require.True(t, w.EndsAnyOrder("最高"))
	require.NotNil(t, w.Adjective("tallest"))
	require.False(t, w.EndsAnyOrder("tallest"))
}

// TestClosedClasses: words of a class are found as people write them, and are no general words by that.
func TestClosedClasses(t *testing.T) {
	t.Parallel()
	w, _ := open(t)
	require.True(t, w.IsOf("puts_down", keyOf("登记")))
	require.True(t, w.IsOf("one_or_more", keyOf("At least  one")))
	require.True(t, w.IsOf("brings_in", keyOf("Raised")))
	require.False(t, w.IsOf("brings_in", keyOf("refunded")))
	require.False(t, w.IsOf("no such class", keyOf("raised")))
	require.Empty(t, w.Tags(keyOf("raised")))
}
