package trino

import (
	"slices"
)

// ansiQuotes takes double quotes for names where the text uses them for tables or
// in dotted names.
func (t *translator) ansiQuotes() {
	if t.DoubleQuotes != "string" {
		return
	}
	for i, tok := range t.tokens {
		if tok.kind != tokenDouble {
			continue
		}
		before, after := t.tok(i-1), t.tok(i+1)
		if before.is(".") || after.is(".") || before.is("FROM") && !t.tok(i-2).is("YEAR") || before.is("JOIN") {
			t.DoubleQuotes = "name"
			return
		}
	}
	for i := range t.tokens {
		if t.tokens[i].kind == tokenDouble && !t.tok(i-1).is("AS") {
			t.tokens[i].kind = tokenString
		}
	}
}

// afterComma are the words that end a list.
var afterComma = []string{"FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", ")"}

// slips takes out what is a slip in any dialect: a semicolon in front, statements
// behind the first, a comma at the end of a list.
func (t *translator) slips() {
	drop := func(rule, message string, start, stop int) {
		t.dropped[start] = stop
		t.noteSpan(rule, start, stop, message, t.text[start:stop], "")
	}
	for len(t.tokens) > 0 && t.tokens[0].is(";") {
		drop("semicolon", "an empty statement stood in front", t.tokens[0].start, t.tokens[0].end)
		t.tokens = t.tokens[1:]
	}
	if i := slices.IndexFunc(t.tokens, func(tok token) bool { return tok.is(";") }); i >= 0 && i+1 < len(t.tokens) {
		drop("second_statement", "one statement can run at a time", t.tokens[i].start, len(t.text))
		t.tokens = t.tokens[:i]
	}
	var kept []token
	for i, tok := range t.tokens {
		next := t.tok(i + 1)
		if tok.is(",") && i+1 < len(t.tokens) && slices.ContainsFunc(afterComma, next.is) {
			drop("comma", "a comma stood before the end of a list", tok.start, tok.end)
			continue
		}
		kept = append(kept, tok)
	}
	t.tokens = kept
}
