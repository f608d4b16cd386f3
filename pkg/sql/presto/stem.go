package presto

import (
	"strings"

	"github.com/kljensen/snowball/english"
)

// wordStem cuts a word down to its stem, by the rules for English.
func wordStem(word, language string) (string, error) {
	switch language {
	case "en":
	case "ca", "da", "de", "es", "eu", "fi", "fr", "hu", "hy", "ir", "it", "lt", "nl", "no", "pt", "ro", "ru", "sv", "tr":
		return "", &Error{"NOT_SUPPORTED", "word_stem of the language " + language + " is not supported on the embedded engine"}
	default:
		return "", invalid("unknown stemmer language: %s", Short(language))
	}
	if strings.ContainsFunc(word, func(r rune) bool { return (r < 'a' || r > 'z') && r != '\'' }) {
		return "", &Error{"NOT_SUPPORTED", "word_stem of other than small English letters is not supported on the embedded engine"}
	}
	return english.Stem(word, true), nil
}
