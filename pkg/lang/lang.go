// Package lang tells English from Chinese.
package lang

import "unicode"

// Language of a text: "en" or "zh".
type Language string

// The languages that the product speaks.
const (
	English Language = "en"
	Chinese Language = "zh"
)

// Detect returns Chinese when the text has at least two Han characters, or one
// and no Latin word of three letters or more; else English. Names, SQL and
// abbreviations such as GMV are common inside Chinese sentences, so a few Han
// characters outweigh many Latin ones.
func Detect(text string) Language {
	han, latinRun, longest := 0, 0, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			han++
			latinRun = 0
		case unicode.Is(unicode.Latin, r):
			latinRun++
			longest = max(longest, latinRun)
		default:
			latinRun = 0
		}
	}
	if han >= 2 || (han == 1 && longest < 3) {
		return Chinese
	}
	return English
}

// Pick returns en or zh by the language.
func (l Language) Pick(en, zh string) string {
	if l == Chinese {
		return zh
	}
	return en
}
