package fixsql

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// Classes of errors, as Trino names them.
const (
	classSyntax    = "SYNTAX_ERROR"
	classFunction  = "FUNCTION_NOT_FOUND"
	classColumn    = "COLUMN_NOT_FOUND"
	classTable     = "TABLE_NOT_FOUND"
	classAggregate = "EXPRESSION_NOT_AGGREGATE"
	classDivision  = "DIVISION_BY_ZERO"
	classCast      = "INVALID_CAST_ARGUMENT"
)

// tokenEdits are the repairs that need no tree: marks, quotes and words of other
// dialects.
func (t *tables) tokenEdits(text string) []edit {
	tokens := scan(text)
	var edits []edit
	edits = append(edits, t.markEdits(tokens)...)
	edits = append(edits, tickEdits(tokens)...)
	edits = append(edits, statementEdits(text, tokens)...)
	edits = append(edits, limitEdits(tokens)...)
	edits = append(edits, commaEdits(tokens)...)
	edits = append(edits, t.infixEdits(text, tokens)...)
	edits = append(edits, t.intervalEdits(text, tokens)...)
	edits = append(edits, t.functionEdits(text, tokens)...)
	return edits
}

func (t *tables) markEdits(tokens []token) []edit {
	var edits []edit
	for i, tok := range tokens {
		if tok.kind != tokenMark {
			continue
		}
		for _, m := range t.tokens.Marks {
			if tok.text == m.From {
				edits = append(edits, edit{start: tok.start, end: tok.end, text: m.To, class: classSyntax, why: "mark", certainty: 0.97, args: map[string]string{"dialect": m.Dialect}})
			}
		}
		// ! before an operand is NOT.
		if tok.text == "!" && operandEnd(tokens, i+1) > i+1 {
			edits = append(edits, edit{start: tok.start, end: tok.end, text: "NOT ", class: classSyntax, why: "mark", certainty: 0.95, args: map[string]string{"dialect": "MySQL"}})
		}
	}
	return edits
}

// tickEdits: `name` is "name" in Presto. Quotes stay, so that a keyword or a
// blank inside does no harm.
func tickEdits(tokens []token) []edit {
	var edits []edit
	for _, tok := range tokens {
		if tok.kind != tokenTick || len(tok.text) < 3 {
			continue
		}
		name := strings.ReplaceAll(tok.text[1:len(tok.text)-1], "``", "`")
		// `a.b.c` as one name is BigQuery's way to write a path.
		parts := strings.Split(name, ".")
		for i, p := range parts {
			parts[i] = printer.Quote(p)
		}
		edits = append(edits, edit{start: tok.start, end: tok.end, text: strings.Join(parts, "."), class: classSyntax, why: "backtick", certainty: 0.98})
	}
	return edits
}

// statementEdits keep the first of several statements, and drop a semicolon at
// the end with what is around it.
func statementEdits(text string, tokens []token) []edit {
	for i, tok := range tokens {
		if !tok.is(";") {
			continue
		}
		rest := tokens[i+1:]
		if i == 0 { // an empty statement in front
			return []edit{{start: 0, end: tok.end, class: classSyntax, why: "semicolon", certainty: 0.97}}
		}
		if !slices.ContainsFunc(rest, func(t token) bool { return !t.is(";") }) {
			return nil // only at the end: the parser takes one; more are cut below
		}
		return []edit{{start: tok.start, end: len(text), class: classSyntax, why: "second_statement", certainty: 0.6}}
	}
	return nil
}

// limitEdits: LIMIT x, y is OFFSET x LIMIT y, and OFFSET stands before LIMIT.
func limitEdits(tokens []token) []edit {
	var edits []edit
	for i := 0; i+3 < len(tokens); i++ {
		if !tokens[i].is("LIMIT") || tokens[i+1].kind != tokenNumber || tokens[i+3].kind != tokenNumber {
			continue
		}
		var offset, count string
		switch {
		case tokens[i+2].is(","):
			offset, count = tokens[i+1].text, tokens[i+3].text
		case tokens[i+2].is("OFFSET"):
			offset, count = tokens[i+3].text, tokens[i+1].text
		default:
			continue
		}
		edits = append(edits, edit{
			start: tokens[i].start, end: tokens[i+3].end, text: "OFFSET " + offset + " LIMIT " + count,
			class: classSyntax, why: "limit_offset", certainty: 0.97,
		})
	}
	return edits
}

// commaEdits take out a comma before a clause or a closing parenthesis.
func commaEdits(tokens []token) []edit {
	var edits []edit
	for i := 0; i+1 < len(tokens); i++ {
		if !tokens[i].is(",") {
			continue
		}
		after := tokens[i+1]
		for _, word := range []string{"FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", ")"} {
			if after.is(word) {
				edits = append(edits, edit{start: tokens[i].start, end: tokens[i].end, class: classSyntax, why: "comma", certainty: 0.93})
			}
		}
	}
	return edits
}

// infixEdits rewrite words that stand between two operands.
func (t *tables) infixEdits(text string, tokens []token) []edit {
	var edits []edit
	for i := range tokens {
		for _, rule := range t.tokens.Infix {
			after := i + len(rule.Words)
			if after > len(tokens) || !slices.EqualFunc(tokens[i:after], rule.Words, token.is) {
				continue
			}
			start, end := operandStart(tokens, i), operandEnd(tokens, after)
			if rule.Right == "type" {
				end = typeEnd(tokens, after)
			}
			if start == i || end <= after || start > 0 && tokens[start-1].is("::") {
				continue
			}
			left := text[tokens[start].start:tokens[i-1].end]
			right := text[tokens[after].start:tokens[end-1].end]
			edits = append(edits, edit{
				start: tokens[start].start, end: tokens[end-1].end, text: fill(rule.To, []string{left, right}),
				kept:  [][2]int{{tokens[start].start, tokens[i-1].end}, {tokens[after].start, tokens[end-1].end}},
				class: classSyntax, why: "infix", certainty: 0.93, args: map[string]string{"dialect": rule.Dialect, "word": strings.Join(rule.Words, " ")},
			})
		}
	}
	return edits
}

// typeEnd is the index after a type's name: decimal(10, 2), double precision.
func typeEnd(tokens []token, i int) int {
	if i >= len(tokens) || tokens[i].kind != tokenWord {
		return i
	}
	i++
	if i < len(tokens) && tokens[i].is("precision") {
		i++
	}
	if i < len(tokens) && tokens[i].is("(") {
		if end := closing(tokens, i); end > 0 {
			return end + 1
		}
	}
	return i
}

// intervalEdits: INTERVAL 7 DAYS is INTERVAL '7' DAY; a week is seven days.
func (t *tables) intervalEdits(text string, tokens []token) []edit {
	var edits []edit
	for i := 0; i+1 < len(tokens); i++ {
		if !tokens[i].is("INTERVAL") {
			continue
		}
		value, unitText, last := strings.Trim(tokens[i+1].text, "'"), "", i+1
		switch {
		case i+2 < len(tokens) && tokens[i+2].kind == tokenWord && (tokens[i+1].kind == tokenNumber || tokens[i+1].kind == tokenString):
			unitText, last = tokens[i+2].text, i+2
		case tokens[i+1].kind == tokenString: // INTERVAL '7 days'
			value, unitText, _ = strings.Cut(value, " ")
		}
		unit := strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(unitText)), "S")
		if _, err := strconv.Atoi(value); err != nil {
			continue
		}
		if longer, ok := t.tokens.IntervalLonger[unit]; ok {
			n, _ := strconv.Atoi(value)
			factor, _ := longer[0].(int)
			value, unit = strconv.Itoa(n*factor), longer[1].(string)
		}
		if !slices.Contains(t.tokens.IntervalUnits, unit) {
			continue
		}
		want := "INTERVAL '" + value + "' " + unit
		if strings.EqualFold(strings.Join(strings.Fields(text[tokens[i].start:tokens[last].end]), " "), want) {
			continue
		}
		edits = append(edits, edit{start: tokens[i].start, end: tokens[last].end, text: want, class: classSyntax, why: "interval", certainty: 0.97})
	}
	return edits
}

// fill puts operands into $1, $2, ...
func fill(to string, operands []string) string {
	for i := len(operands); i > 0; i-- {
		n := "$" + strconv.Itoa(i)
		to = strings.ReplaceAll(to, n+".unit", "'"+strings.ToLower(operands[i-1])+"'")
		to = strings.ReplaceAll(to, n, "\x00"+strconv.Itoa(i)+"\x00")
	}
	for i, operand := range operands {
		to = strings.ReplaceAll(to, "\x00"+strconv.Itoa(i+1)+"\x00", operand)
	}
	return to
}
