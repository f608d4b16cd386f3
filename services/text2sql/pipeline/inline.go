package pipeline

import (
	"regexp"
	"slices"
	"strings"
)

// ownForms are how a question says by itself what its words before stand for. The
// first group is the meaning. sure ones define whatever they name; others only where
// the meaning calculates or says when: "that is" explains many things.
var ownForms = []struct {
	re   *regexp.Regexp
	sure bool
}{
	{regexp.MustCompile(`(?i),? *(?:which is |that is |is |as )?\b(?:defined|calculated|computed|measured) (?:as|by) ([^,.;?()]+)`), true},
	{regexp.MustCompile(`(?i), *(?:that is|that is to say|i\.e\.|ie|meaning|which means|which is|in other words),? ([^,.;?()]+)`), false},
	{regexp.MustCompile(`(?i) +\((?:i\.e\.,? |that is,? |meaning |= ?)?([^()?;]+)\)`), false},
}

// whereForms define a term that stands elsewhere in the question.
var whereForms = []*regexp.Regexp{
	regexp.MustCompile(`(?i),? (?:where|with|and) (?:the )?([\p{L}]+(?: [\p{L}]+)?) (?:=|is defined as|is calculated as|is computed as|means|equals|being|is) ([^,.;?()]+)`),
}

// sentenceForms are sentences that define a term and ask nothing.
var sentenceForms = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(?:here,? |note that |assume that |assume |where )?(?:the |an? )?([\p{L}][\p{L}-]*(?: [\p{L}-]+){0,3}) (?:=|is|are|equals|means|refers to|is defined as|is calculated as|is computed as) ([^?;]+)$`),
	regexp.MustCompile(`(?i)^(?:please )?(?:define|let|treat|take|compute|calculate) (?:the |an? )?([\p{L}][\p{L}-]*(?: [\p{L}-]+){0,3}) (?:as|be|to be) ([^?;]+)$`),
}

// sentenceEnd is where sentences of a question part.
var sentenceEnd = regexp.MustCompile(`[.?!;]\s+|[.?!;]$`)

var (
	// arithmetic are meanings that calculate.
	arithmetic = regexp.MustCompile(`(?i) (?:/|-|\+|\*|×|÷|minus|plus|times|divided by|multiplied by|net of|less|as a percentage of|as a share of) |\b(?:difference|ratio|gap) (?:between|of)\b`)
	// occasion are meanings that say when or of what rows.
	occasion = regexp.MustCompile(`(?i)^(?:after|before|with|without|having|not|more than|less than|at least|over|under|above|below|later than|earlier than|on or|no) `)
	// gathered are meanings that say themselves how rows are summed up.
	gathered = regexp.MustCompile(`(?i)\b(?:total|sum|average|mean|number|count|maximum|minimum)\b`)
	// leading are words that begin a meaning and carry nothing.
	leading = regexp.MustCompile(`(?i)^(?:the|a|an|its|their|simply|just) `)
	// shares are the words of groups, behind which no term goes on.
	shares = regexp.MustCompile(`(?i) (?:(?:of|for|in|by|at|from) )?(?:each|every|per|by) `)
)

// Words that a term does not go beyond, to the left, and those that say how rows are
// summed up, which belong to it where its meaning says so itself.
var (
	beforeTerm = strings.Fields(`the a an its their his her our is are was were has have had having with whose by in for from than and or above below
		over under highest lowest largest smallest greatest biggest best worst top bottom most least show return list give find compute calculate what
		which how who where maximum minimum max min`)
	summing = strings.Fields("average avg mean total sum overall combined")
)

// ownTerms replaces what a question defines itself by what it says it means. Nothing
// is taken out that found no place: words that are not understood are told.
func ownTerms(text string) string {
	text = sentenceTerms(text)
	for _, form := range whereForms {
		if m := form.FindStringSubmatchIndex(text); m != nil && arithmetic.MatchString(text[m[4]:m[5]]) {
			rest := text[:m[0]] + text[m[1]:]
			if replaced := replaceWord(rest, text[m[2]:m[3]], meaningOf(text[m[4]:m[5]])); replaced != rest {
				text = replaced
			}
		}
	}
	for _, form := range ownForms {
		m := form.re.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		before, meaning, after := text[:m[0]], text[m[2]:m[3]], text[m[1]:]
		switch {
		case form.sure || arithmetic.MatchString(meaning):
			text = inPlace(before, meaning) + after
		case occasion.MatchString(meaning):
			if cut := strings.LastIndexByte(before, ' '); cut > 0 { // "paid late, that is after the due date"
				text = before[:cut] + " " + meaning + after
			}
		}
	}
	return text
}

// meaningOf is a meaning with its signs as words.
func meaningOf(text string) string {
	text = strings.TrimSpace(calculators.Replace(" " + strings.TrimSpace(text) + " "))
	return leading.ReplaceAllString(text, "")
}

// calculators are signs and words of arithmetic that stand for it only in meanings.
var calculators = strings.NewReplacer(
	" / ", " divided by ", " - ", " minus ", " − ", " minus ", " + ", " plus ", " * ", " multiplied by ", " × ", " multiplied by ", " ÷ ", " divided by ",
	" times ", " multiplied by ", " less ", " minus ",
)

// inPlace puts a meaning where the term stands that words before a definition end
// with, or that stands before their last groups: "the rate of each line, defined as".
func inPlace(before, meaning string) string {
	from := 0
	if at := sentenceEnd.FindAllStringIndex(before, -1); len(at) > 0 {
		from = at[len(at)-1][1]
	}
	head, tail := before[from:], ""
	if at := shares.FindAllStringIndex(head, -1); len(at) > 0 {
		if cut := at[len(at)-1][0]; !sharesWord(head[cut:], meaning) {
			head, tail = head[:cut], head[cut:]
		}
	}
	words := strings.Fields(head)
	own := gathered.MatchString(meaning)
	at := len(words)
	for at > 0 {
		w := strings.ToLower(strings.Trim(words[at-1], `"',`))
		if slices.Contains(beforeTerm, w) && at < len(words) || slices.Contains(summing, w) && !own {
			break
		}
		at--
	}
	if at == len(words) { // nothing but words that end a term
		return before + " " + meaningOf(meaning)
	}
	return before[:from] + strings.Join(words[:at], " ") + " " + meaningOf(meaning) + tail
}

// sharesWord reports whether the last word of a text is among those of a meaning:
// "cost per click" is one term where clicks are divided by.
func sharesWord(text, meaning string) bool {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return false
	}
	last := strings.TrimSuffix(words[len(words)-1], "s")
	return slices.ContainsFunc(strings.Fields(strings.ToLower(meaning)), func(w string) bool { return strings.TrimSuffix(w, "s") == last })
}

// sentenceTerms replaces terms that sentences of their own define.
func sentenceTerms(text string) string {
	from := 0
	for _, end := range append(sentenceEnd.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		if end[0] < from {
			continue
		}
		sentence := strings.TrimSpace(text[from:end[0]])
		rest := text[:from] + text[end[1]:]
		from = end[1]
		for _, form := range sentenceForms {
			m := form.FindStringSubmatch(sentence)
			if m == nil || !arithmetic.MatchString(" "+m[2]+" ") || len(strings.Fields(m[2])) > maxMeaningWord {
				continue
			}
			if replaced := replaceWord(rest, m[1], meaningOf(m[2])); replaced != rest {
				return sentenceTerms(replaced)
			}
		}
	}
	return text
}
