package written

import (
	"strings"
	"unicode/utf8"
)

// Currency is a text that names a currency, by a code of three letters, a sign or a name, as it is kept with
// amounts: "USD" of "us$", "EUR" of 欧元. ok is false for any other text.
func (w *Words) Currency(text string) (kept string, ok bool) {
	kept = w.units[strings.ToLower(strings.TrimSpace(narrow(text)))]
	return kept, isCode(kept) || w.isSharedSign(kept)
}

// isSharedSign reports a sign that stands for several currencies, as "$" does.
func (w *Words) isSharedSign(kept string) bool {
	for _, sign := range w.signs {
		if sign == kept {
			return true
		}
	}
	return false
}

// isCode reports a code of three capital letters, as ISO 4217 has them.
func isCode(text string) bool {
	return len(text) == 3 && strings.IndexFunc(text, func(r rune) bool { return r < 'A' || r > 'Z' }) < 0
}

// HoldCurrencies reports values, of which there is one at least, that are currencies all: those that are known,
// and where the column is called for currencies (named), any codes like theirs and signs.
func (w *Words) HoldCurrencies(named bool, values []string) bool {
	for _, v := range values {
		v = strings.TrimSpace(v)
		kept, known := w.Currency(v)
		switch {
		case named && (known || isCode(strings.ToUpper(v))):
		case known && isCode(kept) && len(v) >= len(kept): // "ft" is a length, and "$" anything
		default:
			return false
		}
	}
	return len(values) > 0
}

// NamesCurrency reports a word, in lower case, that names currencies in the names of columns. In Chinese and
// Japanese it stands anywhere in one.
func (w *Words) NamesCurrency(word string) bool {
	if w.moneyOf[word] {
		return true
	}
	for name := range w.moneyOf {
		if name[0] >= utf8.RuneSelf && strings.Contains(word, name) {
			return true
		}
	}
	return false
}
