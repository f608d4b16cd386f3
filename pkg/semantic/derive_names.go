package semantic

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// Bounds of what counts as a name in a description; longer ones are sentences.
const (
	maxNameRunes = 12 // Chinese
	maxNameWords = 4  // English
	maxCodeRunes = 24 // of what a code stands for
)

// displayNames are the words of an identifier and the names that its description
// begins with, in either language: "cust_nm" with "客户姓名：实名" is "cust nm" and
// 客户姓名; with "customer name / 客户姓名" it has that synonym besides.
func displayNames(words []string, description string) (names Text, synonyms []string) {
	text := commentText(description)
	names.EN = strings.Join(words, " ")
	if head := headOf(text.ZH); utf8.RuneCountInString(head) <= maxNameRunes {
		names.ZH = head
	}
	if head := headOf(text.EN); isName(head) && !strings.EqualFold(head, names.EN) {
		synonyms = []string{head}
	}
	return names, synonyms
}

// commentText is a description in the language that it is written in; one that is
// in both, with a stroke between them, is taken apart.
func commentText(comment string) Text {
	if !hasHan(comment) {
		return Text{EN: comment}
	}
	for i, r := range comment {
		if r != '/' && r != '|' && r != '／' {
			continue
		}
		a, b := strings.TrimSpace(comment[:i]), strings.TrimSpace(comment[i+utf8.RuneLen(r):])
		switch {
		case a == "" || b == "":
		case !hasHan(a) && hasHan(b):
			return Text{EN: a, ZH: b}
		case hasHan(a) && !hasHan(b):
			return Text{EN: b, ZH: a}
		}
	}
	return Text{ZH: comment}
}

// headOf is what stands before the first mark of a description.
func headOf(description string) string {
	end := strings.IndexAny(description, ",.;:()[]|/\n\t，。；：（）【】、")
	if end < 0 {
		end = len(description)
	}
	return strings.TrimSpace(description[:end])
}

func hasHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// isName reports whether an English text names a thing: a few words without an
// article or a verb in front.
func isName(s string) bool {
	words := strings.Fields(s)
	if len(words) == 0 || len(words) > maxNameWords || slices.Contains(noNames, strings.ToLower(words[0])) {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsSpace(r) && r != '-' && r != '\''
	})
}

// noNames begin sentences about a column, not its name.
var noNames = []string{
	"a", "an", "the", "this", "that", "these", "whether", "if", "is", "are", "was", "has", "when", "where", "which", "how", "what", "who",
	"indicates", "denotes", "contains", "stores", "holds", "describes", "represents", "refers", "see", "unique", "primary", "foreign",
	"auto", "used", "not", "no", "none", "null", "unknown", "deprecated", "references", "one", "each", "every",
}

// ValuesOf are the sampled values of a column, each with what the column's
// description says that it stands for. complete: there are no others.
func ValuesOf(c *catalog.Column) (values []Value, complete bool) {
	if len(c.Samples) == 0 {
		return nil, false
	}
	meanings := codes(c.Comment)
	values = make([]Value, len(c.Samples))
	for i, s := range c.Samples {
		values[i].Value = s
		if m, ok := meanings[Fold(s)]; ok {
			values[i].Synonyms = []string{m}
		}
	}
	return values, c.Distinct > 0 && int64(len(c.Samples)) >= c.Distinct
}

// codeForm is "1: paid", "1=paid", "1-已付款", "F：female".
var codeForm = regexp.MustCompile(`^\s*([A-Za-z0-9_]{1,12})\s*[:=：\-—]\s*([^\s\d:=：].*)$`)

// codes reads the list of codes that many descriptions hold, "0 = open, 1 = paid",
// by the folded code. One pair alone is no list.
func codes(description string) map[string]string {
	if !strings.ContainsAny(description, "=:：-—") {
		return nil
	}
	out := map[string]string{}
	for _, piece := range strings.FieldsFunc(description, func(r rune) bool { return strings.ContainsRune(",;，；、()（）[]。\n", r) }) {
		found := codeForm.FindStringSubmatch(piece)
		if found == nil {
			_, piece, _ = strings.Cut(strings.ReplaceAll(piece, "：", ":"), ":") // "付款状态：1=已付"
			found = codeForm.FindStringSubmatch(piece)
		} else if inner := codeForm.FindStringSubmatch(found[2]); inner != nil { // "status: P-paid"
			found = inner
		}
		if found == nil {
			continue
		}
		if meaning := strings.TrimSpace(found[2]); utf8.RuneCountInString(meaning) <= maxCodeRunes {
			out[Fold(found[1])] = meaning
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}
