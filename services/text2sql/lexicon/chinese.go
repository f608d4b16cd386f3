package lexicon

import (
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Chinese is the Chinese half of the lexicon.
type Chinese struct {
	// Words leads from Chinese words of schemas to the English ones that
	// identifiers are made of.
	Words map[string]string
	dict  *token.Dictionary
}

// Dictionary returns the words for segmentation.
func (c *Chinese) Dictionary() *token.Dictionary { return c.dict }

// loadChinese reads the words and adds the phrases to the lexicon's.
func (l *Lexicon) loadChinese() (*Chinese, error) {
	var data struct {
		Phrases map[string][]string `yaml:"phrases"`
		Words   map[string]string   `yaml:"words"`
	}
	if err := read("zh", &data); err != nil {
		return nil, err
	}
	c := &Chinese{Words: data.Words, dict: token.NewDictionary()}
	for w := range data.Words {
		c.dict.Add(w)
	}
	c.dict.Add(l.hanPhrases...)
	for key, list := range data.Phrases {
		name, arg, _ := strings.Cut(key, ":")
		c.dict.Add(list...)
		for _, p := range list {
			l.addPhrase(p, Tag{Name: name, Arg: arg})
		}
	}
	return c, nil
}

// Translate puts English words in the place of Chinese ones that name parts of
// schemas, keeping the offsets.
func (c *Chinese) Translate(tokens []token.Token) []token.Token {
	out := make([]token.Token, 0, len(tokens))
	for _, t := range tokens {
		en, ok := c.Words[t.Text]
		if t.Kind != token.Han || !ok {
			out = append(out, t)
			continue
		}
		for _, w := range strings.Fields(en) {
			out = append(out, token.Token{Kind: token.Word, Text: w, Lower: w, Stem: token.Stem(w), Start: t.Start, End: t.End})
		}
	}
	return out
}
