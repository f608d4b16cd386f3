package rules

import (
	"regexp"
	"strings"
	"unicode"
)

// Chinese puts no space between words, so that where one ends is known of words of the
// lexicon alone, and of Latin ones.

func hasHan(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

var latinWord = regexp.MustCompile(`^[A-Za-z][\w-]*`)

// nounOf returns the word that a text begins with; the text where none is known there.
func (l *lexicon) nounOf(text string) string {
	text = strings.TrimLeft(text, " 个名位种条")
	if !hasHan(text) {
		return text
	}
	if w := latinWord.FindString(text); w != "" {
		return w
	}
	for _, w := range l.hanWords {
		if strings.HasPrefix(text, w) {
			return w
		}
	}
	return text
}

// lastNoun returns the word that a text ends with; empty: none is known there.
func (l *lexicon) lastNoun(text string) string {
	text = strings.TrimRight(text, " ")
	for _, w := range l.hanWords {
		if strings.HasSuffix(text, w) {
			return w
		}
	}
	return text[len(strings.TrimRightFunc(text, func(r rune) bool { return r < unicode.MaxASCII && r != ' ' })):]
}

var (
	// Different ones, and the most of them: what is counted follows.
	countedBefore = regexp.MustCompile(`(?:不同的?|去重的?|独立的?|(?:前|最[多少]的?前?) ?(?:\d+|[一二两三四五六七八九十]+) ?[个名位种]?|最[多少常见频繁]+的) ?`)
	// "the users of ... are how many": what is counted is the head before it.
	countedAfter = regexp.MustCompile(`的 ?([\p{Han}A-Za-z_]+?) ?(?:一共|总共|共)?有(?:多少|几)(?:个|名|位|种)`)
	passive      = regexp.MustCompile(`被 ?([\p{Han}]+|[A-Za-z][\w-]*)`)
)

// countedHan returns what a Chinese question counts the different ones or the most of;
// empty: nothing, or it is not known.
func (l *lexicon) countedHan(text string) string {
	if !hasHan(text) {
		return ""
	}
	for _, at := range countedBefore.FindAllStringIndex(text, -1) {
		if noun := l.nounOf(text[at[1]:]); l.han[noun] != "" || noun != "" && !hasHan(noun) {
			return noun
		}
	}
	return l.howManyHan(text)
}

// howManyHan returns the things of which a Chinese question asks how many they are;
// empty: of none.
func (l *lexicon) howManyHan(text string) string {
	if m := countedAfter.FindStringSubmatch(text); m != nil {
		return l.lastNoun(m[1])
	}
	return ""
}

// predicatesHan returns the verbs after 被: what was done to something.
func (l *lexicon) predicatesHan(text string) []string {
	var out []string
	for _, m := range passive.FindAllStringSubmatch(text, -1) {
		out = append(out, l.nounOf(m[1]))
	}
	return out
}
