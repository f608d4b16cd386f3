package fixsql

import (
	"slices"
	"strings"
)

// functionEdits translate functions of other dialects by rules/functions.yaml.
func (t *tables) functionEdits(text string, tokens []token) []edit {
	var edits []edit
	for i := 0; i+1 < len(tokens); i++ {
		rules := t.functions[strings.ToLower(tokens[i].text)]
		if tokens[i].kind != tokenWord || len(rules) == 0 || !tokens[i+1].is("(") || i > 0 && tokens[i-1].is(".") {
			continue
		}
		end := closing(tokens, i+1)
		if end < 0 {
			continue
		}
		args := argumentsOf(tokens, i+1, end)
		for _, rule := range rules {
			if t.matches(rule, tokens, args) {
				edits = append(edits, functionEdit(text, tokens, i, end, rule, args))
				break
			}
		}
	}
	return edits
}

// argumentsOf are the half-open token ranges of the arguments of a call.
func argumentsOf(tokens []token, open, end int) [][2]int {
	var args [][2]int
	depth, start := 0, open+1
	for i := open + 1; i < end; i++ {
		switch {
		case tokens[i].is("("):
			depth++
		case tokens[i].is(")"):
			depth--
		case tokens[i].is(",") && depth == 0:
			args, start = append(args, [2]int{start, i}), i+1
		}
	}
	if start < end {
		args = append(args, [2]int{start, end})
	}
	return args
}

func (t *tables) matches(rule functionRule, tokens []token, args [][2]int) bool {
	if rule.Args != nil && *rule.Args != len(args) {
		return false
	}
	for n, shape := range rule.When {
		if n > len(args) || !t.hasShape(tokens[args[n-1][0]:args[n-1][1]], shape) {
			return false
		}
	}
	return true
}

func (t *tables) hasShape(arg []token, shape string) bool {
	if len(arg) == 0 {
		return false
	}
	switch shape {
	case "bare":
		return len(arg) == 1 && arg[0].kind == tokenWord
	case "bare_unit":
		units := append([]string{"WEEK", "QUARTER"}, t.tokens.IntervalUnits...)
		return len(arg) == 1 && arg[0].kind == tokenWord && slices.Contains(units, strings.ToUpper(arg[0].text))
	case "string":
		return len(arg) == 1 && arg[0].kind == tokenString
	case "not_string":
		return arg[0].kind != tokenString
	case "interval":
		return arg[0].is("INTERVAL")
	}
	return false
}

// functionEdit renames, or writes the call anew. A renaming touches the name
// alone, so that what is inside can be repaired in the same round.
func functionEdit(text string, tokens []token, at, end int, rule functionRule, args [][2]int) edit {
	e := edit{
		start: tokens[at].start, end: tokens[at].end, text: rule.To, class: classFunction, why: "function", certainty: 0.93,
		args: map[string]string{"name": rule.Name, "dialect": rule.Dialect},
	}
	if !strings.ContainsAny(rule.To, "$(") && (rule.Args == nil || *rule.Args > 0) {
		return e
	}
	var operands []string
	for _, a := range args {
		if a[0] == a[1] {
			return edit{} // a call with an empty argument, f(a,): nothing to go by
		}
		from, to := tokens[a[0]].start, tokens[a[1]-1].end
		operands, e.kept = append(operands, text[from:to]), append(e.kept, [2]int{from, to})
	}
	e.end, e.text = tokens[end].end, fill(rule.To, operands)
	if plain := rule.Name + "(" + strings.Join(operands, ", ") + ")"; len(args) == 0 && strings.EqualFold(plain, e.text) {
		e.text = text[e.start:e.end]
	}
	return e
}
