package decide

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/spelling"
)

// Pasted is what a message brings beside its words.
type Pasted struct {
	SQL   string // the statement, trimmed; empty: none
	Error string // an engine's error text; empty: none
	Words string // the rest
}

var (
	fence     = regexp.MustCompile("(?s)```(?:sql|SQL)?\\s*\n?(.*?)```")
	statement = mustCompile(`(?i)\b(?:select\b|with\s+"?\w+"?\s*(?:\([^)]*\)\s*)?as\s*\(|insert\s+into\b|update\s+[\w."]+\s+set\b|delete\s+from\b|drop\s+(?:table|schema|view)\s+[\w."]+|alter\s+table\b|truncate\s+(?:table\s+)?[\w]+\.[\w."]+|create\s+(?:or\s+replace\s+)?(?:table|view)\s+[\w."]+|merge\s+into\b|grant\s+(?:all|select|insert|update|delete|create|execute|usage|ownership)\b[\w\s,]*\bon\b)|(?:^|[;:\n]\s*)grant\s+\w+\s+to\b`)
	writing   = regexp.MustCompile(`(?i)^(?:insert|update|delete|drop|alter|truncate|create|merge|grant)\b`)
	// Error texts of engines: a name in capitals before a colon, a position, or
	// set phrases. The words are the engines' own.
	engineError = mustCompile(`(?:\b[A-Z]+(?:_[A-Z]+)+\b\s*:|\bline \d+:\d+|(?i:\bcannot be resolved\b|\bmismatched input\b|\bis ambiguous\b|\bdoes not exist\b|\bcannot apply operator\b|\bmust be an aggregate expression\b|\bquery failed\b))`)
	tableName   = mustCompile(`\b[A-Za-z]\w*(?:\.\w+)+\b|\b[a-z][a-z0-9]*(?:_+[a-z0-9]+){1,}\b`)
)

// dotted fits names of tables, whose parts are no words of a message.
var dotted = mustCompile(`\b[A-Za-z]\w*(?:\.\w+)+\b`)

// address fits addresses of pages, which look like names of tables.
var address = mustCompile(`(?i)\bhttps?://\S+`)

// named returns the names of tables in a text.
func named(text string) []string {
	if !tableName.mayFit(strings.ToLower(text)) {
		return nil
	}
	return tableName.FindAllString(text, -1)
}

// Split takes SQL and error text out of a message. A statement runs from its
// first keyword, also a mistyped one, to where it ends by the grammar of SQL, else to
// the end of the message, lines that are an error text or a sentence in Chinese
// excepted.
func Split(text string) Pasted {
	if m := fence.FindStringSubmatchIndex(text); m != nil && strings.TrimSpace(text[m[2]:m[3]]) != "" {
		rest := text[:m[0]] + " " + text[m[1]:]
		p := Pasted{SQL: strings.TrimSpace(text[m[2]:m[3]]), Words: strings.TrimSpace(rest)}
		p.Error = errorLine(rest)
		return p
	}
	at := findStatement(text)
	if at < 0 {
		return Pasted{Words: strings.TrimSpace(text), Error: errorLine(text)}
	}
	before, after := text[:at], text[at:]
	var sql, words []string
	failure := errorLine(before)
	if m := wishAfter.FindStringIndex(after); m != nil && !opensClause(after[:m[0]]) {
		after, words = after[:m[0]], append(words, strings.TrimLeft(after[m[0]:], "; \n"))
	}
	for _, line := range strings.Split(after, "\n") {
		switch {
		case engineError.MatchString(line):
			failure = strings.TrimSpace(line)
		case len(sql) > 0 && isSentence(line) && !opensClause(sql[len(sql)-1]):
			words = append(words, line)
		default:
			sql = append(sql, line)
		}
	}
	text, behind := endOfStatement(strings.TrimSpace(strings.Join(sql, "\n")))
	words = append([]string{behind}, words...)
	return Pasted{
		SQL:   text,
		Error: failure,
		Words: strings.TrimSpace(strings.TrimSpace(before) + " " + strings.TrimSpace(strings.Join(words, " "))),
	}
}

func errorLine(text string) string {
	if !engineError.mayFit(strings.ToLower(text)) {
		return ""
	}
	for _, line := range strings.Split(text, "\n") {
		if engineError.MatchString(line) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// wishAfter is a wish that follows a statement: on a line of its own, after its
// semicolon, or begun by words that no statement has. A number that a statement ends with
// belongs to it, one that a line begins with to the wish: "LIMIT 10 为什么", "3月的也要".
var wishAfter = regexp.MustCompile(`(?i)--[a-z ,.'?!]+$|(?:;\s*|\n\s*|\s)(?:please|pls|can you|could you|would you|thanks|thx|i (?:need|want|get)|(?:and )?(?:run|fix|repair|execute|explain|correct) (?:it|this|that|the)\b|what(?:'s| is| does)|why (?:does|is|do|am)|how (?:does|do)|tell me|help me|this (?:fails|gives|throws|does)|it (?:fails|gives|throws|says|keeps))\b[^=*]*$|(?:[ \n;；,，。]+[^a-zA-Z0-9'"=(\s]{0,2}|[\n;；，。] *[^a-zA-Z'"=(\s]{0,2})\p{Han}[^'"=()*]*$`)

// opensClause reports whether a text ends in a word that a name has to follow: what stands
// behind FROM is no wish, in whatever language.
func opensClause(text string) bool {
	words := word.FindAllString(text, -1)
	if len(words) == 0 || !strings.HasSuffix(strings.TrimSpace(text), words[len(words)-1]) {
		return false
	}
	return slices.Contains([]string{"select", "from", "join", "where", "by", "and", "or", "on", "having"}, strings.ToLower(words[len(words)-1]))
}

// isSentence tells a line of Chinese from one of SQL: it has no sign that SQL lives by,
// and no word begins it that begins a clause.
func isSentence(line string) bool {
	if first := word.FindString(line); strings.HasPrefix(strings.TrimSpace(line), first) && first != "" &&
		(strings.EqualFold(first, "from") || slices.Contains(continues, strings.ToLower(first))) {
		return false
	}
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.Is(unicode.Han, r) }) &&
		!strings.ContainsAny(line, "(),='\";*")
}

// findStatement returns where a statement begins, or -1. English uses "select"
// and "with" too, so a SELECT needs a FROM or something that no sentence has.
func findStatement(text string) int {
	var found [][]int
	if statement.mayFit(strings.ToLower(text)) {
		found = statement.FindAllStringIndex(text, -1)
	}
	for _, m := range found {
		head := strings.ToLower(text[m[0]:m[1]])
		if head != "select" || looksLikeSelect(text[m[1]:]) {
			return m[0]
		}
	}
	return findMistyped(text)
}

var (
	fromWord   = regexp.MustCompile(`(?i)\bfrom\b`)
	selectList = regexp.MustCompile(`(?i)[,(*.=']|\bas\b|^\s*distinct\b|^\s*\S+\s*$`)
	qualified  = regexp.MustCompile(`^\s+"?\w+"?\."?\w+`)
	selectOnly = regexp.MustCompile(`[(*=]|^\s*[\d']`)
)

// looksLikeSelect tells a statement's rest from English such as "select from the
// list": before its FROM stands one word, or something that no sentence has.
func looksLikeSelect(rest string) bool {
	from := fromWord.FindStringIndex(rest)
	if from == nil {
		return selectOnly.MatchString(rest) || mistypedFrom(rest)
	}
	return selectList.MatchString(rest[:from[0]]) || qualified.MatchString(rest[from[1]:])
}

var word = regexp.MustCompile(`[A-Za-z]+`)

// findMistyped finds a SELECT with one slip of the keyboard, when a FROM and a
// comma, parenthesis or star follow it.
func findMistyped(text string) int {
	for _, m := range word.FindAllStringIndex(text, -1) {
		w := strings.ToLower(text[m[0]:m[1]])
		if w == "select" || w == "selects" || w == "selected" || !oneSlip(w, "select") {
			continue
		}
		rest := text[m[1]:]
		if strings.ContainsAny(rest, ",(*") && hasFrom(rest) {
			return m[0]
		}
	}
	return -1
}

// mistypedFrom finds a FROM with a slip, before the name of a table in a schema.
func mistypedFrom(rest string) bool {
	return slices.ContainsFunc(word.FindAllStringIndex(rest, -1), func(m []int) bool {
		return m[1]-m[0] > 2 && oneSlip(strings.ToLower(rest[m[0]:m[1]]), "from") && qualified.MatchString(rest[m[1]:])
	})
}

// hasFrom finds a FROM, mistyped or not.
func hasFrom(text string) bool {
	for _, w := range word.FindAllString(text, -1) {
		if len(w) > 2 && oneSlip(strings.ToLower(w), "from") {
			return true
		}
	}
	return false
}

// oneSlip reports whether a becomes b by one letter more, less or other, or by
// two neighbours changing places.
func oneSlip(a, b string) bool {
	return len(a) <= len(b)+1 && len(a) >= len(b)-1 && spelling.Distance(a, b) <= 1
}
