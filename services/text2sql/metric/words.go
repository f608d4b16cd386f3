package metric

import (
	_ "embed" // words.yaml
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

//go:embed words.yaml
var wordFile []byte

// Words are the phrases of questions over metrics; read-only after LoadWords.
type Words struct {
	lex     *lexicon.Lexicon
	phrases map[string][]lexicon.Tag // words joined by spaces
	dict    *token.Dictionary        // the Chinese ones
	longest int                      // tokens
	amounts *amounts
	grammar []pattern
}

// LoadWords reads the embedded phrases; lex has the rest of the language.
func LoadWords(lex *lexicon.Lexicon) (*Words, error) {
	var data map[string][][]string
	if err := yaml.Unmarshal(wordFile, &data); err != nil {
		return nil, fmt.Errorf("words of metrics: %w", err)
	}
	w := &Words{lex: lex, phrases: map[string][]lexicon.Tag{}, dict: lex.Chinese().Dictionary().Clone()}
	var err error
	if w.amounts, err = loadAmounts(); err != nil {
		return nil, err
	}
	if w.grammar, err = loadGrammar(); err != nil {
		return nil, err
	}
	keys := slices.Sorted(maps.Keys(data)) // so that text is always cut and read alike
	for _, key := range keys {
		for _, list := range data[key] {
			w.dict.Add(list...)
		}
	}
	for _, key := range keys {
		name, arg, _ := strings.Cut(key, ":")
		for _, list := range data[key] {
			for _, phrase := range list {
				w.add(phrase, lexicon.Tag{Name: name, Arg: arg})
			}
		}
	}
	return w, nil
}

// add cuts a phrase as questions are cut, so that it is found in them.
func (w *Words) add(phrase string, t lexicon.Tag) {
	tokens := token.Split(phrase, w.dict)
	w.longest = max(w.longest, len(tokens))
	key := lowers(tokens)
	w.phrases[key] = append(w.phrases[key], t)
}

func lowers(tokens []token.Token) string {
	parts := make([]string, len(tokens))
	for i, t := range tokens {
		parts[i] = t.Lower
	}
	return strings.Join(parts, " ")
}

// phraseArg is the argument of a phrase's tag; empty where it has none.
func (w *Words) phraseArg(phrase, tag string) string {
	for _, t := range w.phrases[phrase] {
		if t.Name == tag {
			return t.Arg
		}
	}
	return ""
}

func (w *Words) is(word, tag string) bool {
	for _, t := range w.phrases[word] {
		if t.Name == tag {
			return true
		}
	}
	return false
}
