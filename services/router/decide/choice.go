package decide

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
)

var listed = regexp.MustCompile(`(?:^|[\s:：;；,，。？?])(\d{1,2})(?:[)）、]|\.\s)\s*`)

// Options reads "1) … 2) …" out of a message.
func Options(content string) []string {
	marks := listed.FindAllStringIndex(content, -1)
	var out []string
	for i, m := range marks {
		end := len(content)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		out = append(out, strings.TrimSpace(content[m[1]:end]))
	}
	return out
}

// Pick finds the option that a reply means: by number, ordinal, or the words of
// one option alone.
func Pick(reply string, options []string) (int, bool) {
	if len(options) == 0 {
		return 0, false
	}
	if n, ok := ordinal(reply, len(options)); ok {
		return n, true
	}
	said := prepare(reply)
	hit, best, tied := 0, 0, false
	for i, o := range options {
		switch n := shared(said, prepare(o)); {
		case n > best:
			hit, best, tied = i, n, false
		case n == best:
			tied = true
		}
	}
	return hit, best > 0 && !tied
}

// PickMost finds the option that a reply means, as Pick does, but by its number only where the
// reply says nothing else, "top 2" being a wish of its own, and by words only where most of the
// reply's are the option's: else the reply is a wish of its own, which has a word of an option in it.
func (r *Rules) PickMost(reply string, options []string) (int, bool) {
	if n, ok := r.Numbered(reply, len(options)); ok {
		return n, true
	}
	n, ok := Pick(reply, options)
	if _, counted := ordinal(reply, len(options)); !ok || counted {
		return 0, false
	}
	said := prepare(reply)
	return n, 2*shared(said, prepare(options[n])) > shared(said, said)
}

// Rewords reports whether half or more of what a message tells was told in an earlier one: it says
// the same anew, or a part of it.
func (r *Rules) Rewords(said, earlier string) bool {
	telling := func(text string) message {
		return r.read(In{Question: text}).without(append([]string{"marker", "leading", "filler", "modifier", "refer"}, bareParts...)...)
	}
	a := telling(said)
	n := shared(a, telling(earlier))
	return n > 0 && 2*n >= shared(a, a)
}

// within reports whether an option has all words of a reply, and most of its pairs of Han
// characters.
func within(said, option message) bool {
	for _, w := range said.words {
		if lang.Detect(w) != lang.Chinese && !slices.Contains(option.words, w) {
			return false
		}
	}
	all, there := 0, 0
	runes := []rune(said.compact)
	for i := 0; i+1 < len(runes); i++ {
		if pair := string(runes[i : i+2]); lang.Detect(pair) == lang.Chinese {
			all++
			if strings.Contains(option.compact, pair) {
				there++
			}
		}
	}
	return all == 0 || 2*there > all
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

// shared counts the telling words that a reply has from an option: Latin words
// of three letters or more, and pairs of Han characters.
func shared(said, option message) int {
	n := 0
	for _, w := range said.words {
		if len(w) >= 3 && slices.Contains(option.words, w) {
			n++
		}
	}
	runes := []rune(said.compact)
	for i := 0; i+1 < len(runes); i++ {
		if pair := string(runes[i : i+2]); lang.Detect(pair) == lang.Chinese && strings.Contains(option.compact, pair) {
			n++
		}
	}
	return n
}

var (
	ordinals = []*regexp.Regexp{
		regexp.MustCompile(`\b(?:first|1st|former|option (?:1|one|a)|number (?:1|one)|no\.? ?1|#1|top one)\b|#1|第[一1][个种项]?|前者|前一个|前面那|选[一1]$|^[一1]$`),
		regexp.MustCompile(`\b(?:second|2nd|option (?:2|two|b)|number (?:2|two)|no\.? ?2)\b|#2|第[二2两][个种项]?|选[二2]$|^二$`),
		regexp.MustCompile(`\b(?:third|3rd|option (?:3|three|c)|number (?:3|three)|no\.? ?3)\b|#3|第[三3][个种项]?|选[三3]$|^三$`),
		regexp.MustCompile(`\b(?:fourth|4th|option (?:4|four|d)|number (?:4|four)|no\.? ?4)\b|#4|第[四4][个种项]?|选[四4]$|^四$`),
		regexp.MustCompile(`\b(?:fifth|5th|option (?:5|five|e)|number (?:5|five)|no\.? ?5)\b|#5|第[五5][个种项]?|选[五5]$|^五$`),
	}
	lastOne = regexp.MustCompile(`\b(?:last one|latter|bottom one|last option|the last)\b|最后一[个种项]?|最后那|后者|后一个|后面那`)
	// Ordinals that count something else: a quarter, a week, a place.
	otherOrdinals = regexp.MustCompile(`\b(?:first|second|third|fourth|last) (?:quarter|half|week|month|day|year|time|order|half-year|purchase|visit|name|scan|party|response|\d+)s?\b|\d(?:st|nd|rd|th) (?:quarter|half|week|of)|第[一二三四1-4](?:个?季度|周|名|天|次|方|大|期|线|批)`)
)

var digit = regexp.MustCompile(`(?:^|[^\d\w])([1-9])(?:$|[^\d\w])`)

// ordinal reads "the second one", "第二个", "2" or "the last one", from 0.
func ordinal(text string, n int) (int, bool) {
	at, _, ok := position(text, n)
	return at, ok
}

// position is ordinal that also returns the text without the words of the position, in
// lower case.
func position(text string, n int) (at int, rest string, ok bool) {
	lower := otherOrdinals.ReplaceAllString(strings.ToLower(strings.TrimSpace(text)), " ")
	without := func(m []int) string { return lower[:m[0]] + " " + lower[m[1]:] }
	for i, re := range ordinals {
		if m := re.FindStringIndex(lower); m != nil {
			return i, without(m), i < n
		}
	}
	if m := lastOne.FindStringIndex(lower); m != nil {
		return n - 1, without(m), n > 0
	}
	if m := digit.FindStringSubmatchIndex(lower); m != nil && prepare(text).size() <= 4 {
		i, err := strconv.Atoi(lower[m[2]:m[3]])
		return i - 1, without(m[2:4]), err == nil && i <= n
	}
	return 0, lower, false
}
