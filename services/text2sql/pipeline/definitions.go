package pipeline

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Bounds of what is read of rules.
const (
	maxRules       = 100
	maxTermWords   = 6
	maxMeaningWord = 40
)

// unreadRule is what confidence keeps where a rule speaks of what was asked and
// could not be read: an answer that ignores a rule is a wrong number.
const unreadRule = 0.5

// definition says what a term stands for, in words that the grammar reads.
type definition struct{ term, meaning string }

// Forms of definitions: "margin = price - cost", "margin means ...".
var definitionForm = regexp.MustCompile(`(?i)^\s*(?:the\s+)?["'“‘]?([\p{L}][\p{L}\d_ /%-]*?)["'”’]?\s*(?:\(([\p{L}\d_ -]+)\))?\s*(?:=|:=|:| is defined as | is calculated as | is computed as | means | refers to | stands for | equals )\s*(.+?)\s*\.?\s*$`)

// satisfied are rules about how SQL is written that hold of whatever is generated:
// texts are compared without case, joins go over keys.
var satisfied = regexp.MustCompile(`(?i)\b(ilike|case[- ]insensitive|lower\(|join|alias|nullif|division by zero|cast\b)`)

// operators are signs of arithmetic in words.
var operators = strings.NewReplacer(" / ", " divided by ", " - ", " minus ", " − ", " minus ", " + ", " plus ", " * ", " multiplied by ", " × ", " multiplied by ", " ÷ ", " divided by ")

// rulesOf reads the rules that come with a question: definitions, and the rules
// that are none.
func rulesOf(terms []catalog.Term, rules []catalog.Rule) (defined []definition, other []string) {
	for _, r := range rules[:min(len(rules), maxRules)] {
		for _, line := range sentences(r.Text) {
			if ds := definitionsOf(line); len(ds) > 0 {
				defined = append(defined, ds...)
			} else {
				other = append(other, line)
			}
		}
	}
	for _, t := range terms[:min(len(terms), maxRules)] {
		if meaning := operators.Replace(t.Definition); meaning != t.Definition { // arithmetic, not a sentence about the term
			for _, name := range append([]string{t.Term}, t.Synonyms...) {
				defined = append(defined, definition{name, meaning})
			}
		}
	}
	slices.SortStableFunc(defined, func(a, b definition) int { return len(b.term) - len(a.term) })
	return defined, other
}

// sentences cuts rules into single ones.
func sentences(text string) []string {
	var out []string
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' || r == '；' || r == '。' }) {
		for _, s := range strings.Split(line, ". ") {
			if s = strings.TrimSpace(strings.TrimLeft(s, "-*•0123456789.) ")); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

func definitionsOf(line string) []definition {
	m := definitionForm.FindStringSubmatch(line)
	if m == nil || len(strings.Fields(m[1])) > maxTermWords || len(strings.Fields(m[3])) > maxMeaningWord {
		return nil
	}
	meaning := strings.TrimSpace(operators.Replace(" " + m[3] + " "))
	out := []definition{{m[1], meaning}}
	if m[2] != "" {
		out = append(out, definition{m[2], meaning})
	}
	return out
}

// spelled replaces the terms of a question by what they stand for: those that its
// own words define, and those of the rules. unread counts the rules that speak of
// what was asked and that are no definitions.
func spelled(question string, terms []catalog.Term, rules []catalog.Rule) (text string, unread int) {
	text = ownTerms(question)
	defined, other := rulesOf(terms, rules)
	for _, d := range defined {
		text = replaceWord(text, d.term, d.meaning)
	}
	for _, rule := range other {
		if !satisfied.MatchString(rule) && concerns(rule, question) {
			unread++
		}
	}
	return text, unread
}

// replaceWord puts a meaning in the place of a term wherever it stands as words.
func replaceWord(text, term, meaning string) string {
	re, err := regexp.Compile(`(?i)(^|[^\p{L}\d_])` + regexp.QuoteMeta(term) + `($|[^\p{L}\d_])`)
	if err != nil || term == "" {
		return text
	}
	return re.ReplaceAllStringFunc(text, func(found string) string {
		m := re.FindStringSubmatch(found)
		return m[1] + meaning + m[2]
	})
}

// minConcern is the length of a word from which on a rule that shares it with a
// question speaks of what was asked.
const minConcern = 5

// concerns reports whether a rule shares a longer word with a question.
func concerns(rule, question string) bool {
	asked := map[string]bool{}
	for _, t := range token.Split(question, nil) {
		asked[t.Stem] = len(t.Lower) >= minConcern
	}
	for _, t := range token.Split(rule, nil) {
		if asked[t.Stem] {
			return true
		}
	}
	return false
}
