package trino

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// translator writes Presto SQL. The first construct without an equivalent ends up
// in err; what is written then is thrown away.
type translator struct {
	dialect Dialect
	traits
	text    string
	source  *tree.Source
	tokens  []token
	foreign map[int]int // comments to write anew
	dropped map[int]int // parts of the text to leave out
	rules   functionRules
	opt     Options
	votes   map[Dialect]float64 // evidence, for DialectUnknown

	out      []byte
	from     []int32 // offset in text of each byte of out
	mark     int     // where the patch that is being written begins in out
	limit    int     // of out, in bytes
	fresh    int     // names that were made
	stack    []*node // queries around what is written
	changes  []Change
	warnings []Warning
	err      error

	presto    *tree.Statement  // of a text that is valid as it is
	names     map[string]bool  // that the text uses, in lower case; made when first asked for
	aliases   map[string]*node // names that are written as what they stand for
	qualified map[*node]bool
}

func newTranslator(d Dialect, tr traits, text string, rules functionRules, opt Options) *translator {
	return &translator{
		dialect: d, traits: tr, text: text, source: tree.NewSource(text), foreign: map[int]int{}, dropped: map[int]int{}, qualified: map[*node]bool{}, rules: rules, opt: opt,
		limit: 8*len(text) + 64<<10,
	}
}

// translate is the first step: from the text to Presto's words.
func (t *translator) translate() {
	l := &lexer{text: t.text, traits: t.traits, foreign: t.foreign}
	l.scan()
	t.tokens = l.tokens
	if len(t.tokens) > parser.MaxTokens {
		t.err = &parser.Error{Code: parser.CodeTooLarge, Message: "the statement has too many words and signs"}
		return
	}
	t.ansiQuotes()
	if t.opt.Repair {
		t.slips()
	}
	r := newReader(t.tokens, t.traits)
	root := r.statement()
	if r.deep {
		t.err = &parser.Error{Code: parser.CodeTooDeep, Message: "the statement is nested too deep"}
		return
	}
	t.vote(root)
	t.gap(0)
	t.emit(root)
	if n := len(t.tokens); n > 0 {
		t.copyText(t.tokens[n-1].end, len(t.text))
	}
}

func (t *translator) tok(i int) token {
	if i < 0 || i >= len(t.tokens) {
		return end
	}
	return t.tokens[i]
}

// emit writes a node: by its own function, by a rule, or as it was.
func (t *translator) emit(n *node) {
	switch {
	case n == nil || t.err != nil:
	case len(t.out) > t.limit:
		t.err = &parser.Error{Code: parser.CodeTooLarge, Message: "the statement grows too much when it is translated"}
	case n.write != nil:
		mark := t.mark
		t.mark = len(t.out)
		n.write(t)
		t.mark = mark
	case n.kind == nodeQuery:
		t.stack = append(t.stack, n)
		if !t.queryRules(n) {
			t.splice(n)
		}
		t.stack = t.stack[:len(t.stack)-1]
	default:
		mark := t.mark
		t.mark = len(t.out)
		if !t.nodeRules(n) {
			t.splice(n)
		}
		t.mark = mark
	}
}

// splice writes the tokens of a node with its kids in the place of their own.
func (t *translator) splice(n *node) {
	at := n.lo
	kids := inOrder(n.kids)
	for _, k := range kids {
		if k.lo < at {
			continue
		}
		t.copy(at, k.lo, n.lo)
		before := len(t.out)
		if k.lo > n.lo && k.hi > k.lo {
			t.gap(k.lo)
		}
		gap := len(t.out)
		t.emit(k)
		if k.kind == nodePatch && len(t.out) == gap && strings.TrimSpace(string(t.out[before:gap])) == "" {
			t.out, t.from = t.out[:before], t.from[:before]
		}
		at = k.hi
	}
	t.copy(at, n.hi, n.lo)
}

func inOrder(kids []*node) []*node {
	kids = slices.DeleteFunc(slices.Clone(kids), func(n *node) bool { return n == nil })
	slices.SortStableFunc(kids, func(a, b *node) int {
		switch {
		case a.lo != b.lo:
			return a.lo - b.lo
		case a.hi == a.lo && b.hi > b.lo: // what stands behind the token before
			return -1
		case b.hi == b.lo && a.hi > a.lo:
			return 1
		}
		return b.hi - a.hi // the outer one first
	})
	return kids
}

// copy writes tokens [lo, hi) with the blanks before them, but for the token first.
func (t *translator) copy(lo, hi, first int) {
	for i := lo; i < min(hi, len(t.tokens)); i++ {
		if i > first {
			t.gap(i)
		}
		t.token(i)
	}
}

// gap writes the blanks and comments before token i.
func (t *translator) gap(i int) {
	start, stop := 0, len(t.text)
	if i > 0 && i <= len(t.tokens) {
		start = t.tokens[i-1].end
	}
	if i < len(t.tokens) {
		stop = t.tokens[i].start
	}
	t.copyText(start, stop)
}

// copyText writes a part of the text, comments that Presto does not know as its own.
func (t *translator) copyText(start, stop int) {
	for i := start; i < stop; i++ {
		if end, ok := t.dropped[i]; ok {
			i = end - 1
			continue
		}
		if end, ok := t.foreign[i]; ok {
			t.write("--", i)
			t.noteSpan("comment", i, end, "Presto writes comments as -- or /* */", t.text[i:end], "--"+t.text[i+1:end])
			continue
		}
		t.out, t.from = append(t.out, t.text[i]), append(t.from, int32(i))
	}
}

// write writes text that was made for the token at.
func (t *translator) write(text string, at int) {
	origin := len(t.text)
	if at < len(t.tokens) {
		origin = t.tokens[at].start
	}
	if text == "" {
		return
	}
	if n := len(t.out); n > 0 && t.out[n-1] == '-' && text[0] == '-' {
		text = " " + text
	}
	for i := range len(text) {
		t.out, t.from = append(t.out, text[i]), append(t.from, int32(origin))
	}
}

// token writes one token, in Presto's quotes.
func (t *translator) token(i int) {
	tok := t.tokens[i]
	text, rule, message := tok.text, "", ""
	switch tok.kind {
	case tokenName:
		text, rule, message = t.quotedName(tok), "quotes", "Presto quotes names with double quotes"
	case tokenDouble:
		if t.DoubleQuotes == "string" {
			text, rule, message = printer.String(tok.value), "string_quotes", "a text has single quotes in Presto"
		}
	case tokenString:
		if literal := printer.String(tok.value); literal != tok.text && !strings.HasPrefix(strings.ToUpper(tok.text), "U&") {
			text, rule, message = literal, "string_quotes", "a text has single quotes, and no escapes, in Presto"
		}
	case tokenWord:
		if strings.ContainsFunc(tok.text, func(r rune) bool { return r >= 0x80 || r == '$' }) {
			text, rule, message = printer.Quote(tok.text), "quotes", "Presto quotes names of other letters than a to z"
		}
	case tokenNumber:
		text, rule, message = number(tok), "number", "Presto writes numbers without a suffix"
	case tokenMark:
		if to, ok := marks[tok.text]; ok {
			text, rule, message = to, "mark", tok.text+" is not Presto: "+to
		}
	}
	t.write(text, i)
	written := t.text[tok.start:tok.end]
	if text != written && rule == "" {
		rule, message = "mark", written+" is a sign of another keyboard"
	}
	if text != written {
		t.noteSpan(rule, tok.start, tok.end, message, written, text)
	}
}

// marks are signs that Presto writes otherwise, wherever they stand.
var marks = map[string]string{
	"==": "=", "&&": "AND", "<=>": "IS NOT DISTINCT FROM",
}

// number drops the suffix of a number.
func number(tok token) string {
	suffix := strings.ToUpper(tok.text[min(len(tok.text), len(tok.value)):])
	if strings.Contains(tok.text, "_") {
		suffix = ""
	}
	switch suffix {
	case "":
		return tok.value
	case "L", "S", "Y":
		return tok.value
	case "D", "F":
		return tok.value + "E0"
	case "BD":
		return "DECIMAL '" + tok.value + "'"
	}
	return tok.text
}

// quotedName is a name in backticks or brackets. BigQuery writes a path in one
// pair of them.
func (t *translator) quotedName(tok token) string {
	if (t.dialect == DialectBigQuery || t.dialect == DialectUnknown) && tok.text[0] == '`' {
		parts := strings.Split(tok.value, ".")
		for i, p := range parts {
			parts[i] = printer.Quote(p)
		}
		return strings.Join(parts, ".")
	}
	return printer.Quote(tok.value)
}

// nameToken writes a token that stands for a name, even in quotes of a string.
func (t *translator) nameToken(i int) {
	tok := t.tok(i)
	switch tok.kind {
	case tokenString, tokenDouble:
		t.write(printer.Quote(tok.value), i)
		if tok.text[0] != '"' {
			t.noteSpan("name_quotes", tok.start, tok.end, "Presto quotes names with double quotes", tok.text, printer.Quote(tok.value))
		}
	case tokenWord:
		t.write(printer.Ident(tok.text), i)
	default:
		t.token(i)
	}
}

// list writes nodes with what stands between them.
func (t *translator) list(nodes []*node) {
	for i, n := range nodes {
		if i > 0 {
			t.write(", ", n.lo)
		}
		t.emit(n)
	}
}

// operand writes a node in parentheses where an operator beside it needs them.
func (t *translator) operand(n *node) {
	if n == nil {
		return
	}
	if n.primary() {
		t.emit(n)
		return
	}
	t.write("(", n.lo)
	t.emit(n)
	t.write(")", n.lo)
}

// change notes that tokens [lo, hi) became what was written since the rule began.
func (t *translator) change(rule string, lo, hi int, message string) {
	if lo >= len(t.tokens) {
		return
	}
	start, stop := t.tokens[lo].start, t.tokens[max(lo, min(hi, len(t.tokens))-1)].end
	t.noteSpan(rule, start, stop, message, t.text[start:stop], string(t.out[min(t.mark, len(t.out)):]))
}

func (t *translator) noteSpan(rule string, start, stop int, message, before, after string) {
	line, column := t.source.Position(start)
	t.changes = append(t.changes, Change{Rule: rule, Class: classOf(rule), Message: message, Start: start, End: stop, Line: line, Column: column, Before: before, After: after})
}

// warn notes a difference in meaning at a token.
func (t *translator) warn(rule string, at int, message string) {
	line, column := t.source.Position(t.tok(at).start)
	t.warnings = append(t.warnings, Warning{Rule: rule, Message: message, Line: line, Column: column})
}

// warnAt notes a difference in meaning at a node of the outcome.
func (t *translator) warnAt(rule string, n tree.Node, message string) {
	line, column := t.source.Position(int(t.origin(n.Span().Start)))
	w := Warning{Rule: rule, Message: message, Line: line, Column: column}
	if !slices.Contains(t.warnings, w) {
		t.warnings = append(t.warnings, w)
	}
}

// noAt notes a construct without an equivalent at a node of the outcome.
func (t *translator) noAt(n tree.Node, construct string) {
	if t.err == nil {
		line, column := t.source.Position(int(t.origin(n.Span().Start)))
		t.err = &NotSupported{Construct: construct, Line: line, Column: column}
	}
}

// no notes the first construct without an equivalent.
func (t *translator) no(at int, construct string) {
	if t.err == nil {
		line, column := t.source.Position(t.tok(at).start)
		t.err = &NotSupported{Construct: construct, Line: line, Column: column}
	}
}

// textOf is a node's text as it was.
func (t *translator) textOf(n *node) string {
	if n == nil || n.lo >= n.hi || n.lo >= len(t.tokens) {
		return ""
	}
	return t.text[t.tokens[n.lo].start:t.tokens[min(n.hi, len(t.tokens))-1].end]
}

// literal returns the value of a node that is a text.
func (t *translator) literal(n *node) (string, bool) {
	if n == nil || n.kind != nodeLiteral || n.hi != n.lo+1 {
		return "", false
	}
	tok := t.tok(n.lo)
	return tok.value, tok.kind == tokenString || tok.kind == tokenDouble && t.DoubleQuotes == "string"
}

// whole returns the digits of a node that is a whole number.
func (t *translator) whole(n *node) (string, bool) {
	if n == nil || n.kind != nodeLiteral || n.hi != n.lo+1 || t.tok(n.lo).kind != tokenNumber {
		return "", false
	}
	v := t.tok(n.lo).value
	return v, digits(v) == len(v) && v != ""
}
