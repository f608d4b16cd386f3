package trino

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// nodeRules writes a node by the rule for it and reports false where there is none.
func (t *translator) nodeRules(n *node) bool {
	switch n.kind {
	case nodeName:
		return t.aliasRule(n)
	case nodeBinary:
		return t.binary(n)
	case nodePrefix:
		return t.prefixRule(n)
	case nodeCast:
		return t.castOperator(n)
	case nodeType:
		return t.typeRule(n)
	case nodeCall:
		return t.callRule(n)
	case nodeInterval:
		return t.intervalRule(n)
	case nodeSubscript:
		return t.subscriptRule(n)
	case nodeArray:
		return t.arrayRule(n)
	case nodeLiteral:
		return t.literalRule(n)
	case nodeSelect:
		return t.selectRules(n)
	case nodeTable:
		return t.tableRule(n)
	}
	return false
}

// aliasRule writes a name of the SELECT list as what it stands for, where that is
// asked for.
func (t *translator) aliasRule(n *node) bool {
	if len(t.aliases) == 0 || n.hi != n.lo+1 {
		return false
	}
	x, ok := t.aliases[strings.ToLower(t.tok(n.lo).value)]
	if !ok {
		return false
	}
	saved := t.aliases
	t.aliases = nil
	t.operand(x)
	t.aliases = saved
	return true
}

// prefixRule: ! before an operand is NOT; ~ turns bits; BINARY compares bytes.
func (t *translator) prefixRule(n *node) bool {
	if len(n.kids) != 1 {
		return false
	}
	x := n.kids[0]
	switch n.op {
	case "!":
		t.write("NOT ", n.lo)
		t.operand(x)
		t.change("not", n.lo, n.lo+1, "! is NOT in Presto")
	case "~":
		t.write("bitwise_not(", n.lo)
		t.emit(x)
		t.write(")", n.lo)
		t.change("bits", n.lo, n.lo+1, "~ is bitwise_not in Presto")
	case "BINARY":
		t.emit(x)
		t.change("binary", n.lo, n.lo+1, "Presto compares texts byte by byte anyway")
	default:
		return false
	}
	return true
}

// operators that are calls or other operators in Presto: {0} and {1} stand for
// the operands, {n} for an operator with NOT before it.
var operatorTemplates = map[string]string{
	"ILIKE": "lower(%1) LIKE lower(%2)", "NOT ILIKE": "lower(%1) NOT LIKE lower(%2)",
	"~~*": "lower(%1) LIKE lower(%2)", "!~~*": "lower(%1) NOT LIKE lower(%2)",
	"~~": "%1 LIKE %2", "!~~": "%1 NOT LIKE %2",
	"RLIKE": "regexp_like(%1, %2)", "REGEXP": "regexp_like(%1, %2)", "~": "regexp_like(%1, %2)",
	"NOT RLIKE": "NOT regexp_like(%1, %2)", "NOT REGEXP": "NOT regexp_like(%1, %2)", "!~": "NOT regexp_like(%1, %2)",
	"^@": "starts_with(%1, %2)", "==": "%1 = %2", "<=>": "%1 IS NOT DISTINCT FROM %2",
	"&&": "%1 AND %2", "XOR": "(%1 <> %2)", "MOD": "%1 %% %2",
	"|": "bitwise_or(%1, %2)", "&": "bitwise_and(%1, %2)",
	"<<": "bitwise_left_shift(%1, %2)", ">>": "bitwise_right_shift(%1, %2)",
	"**": "power(%1, %2)",
}

// binary writes an operator between two operands.
func (t *translator) binary(n *node) bool {
	if len(n.kids) < 2 {
		return false
	}
	left, right := n.kids[0], n.kids[1]
	switch n.op {
	case "->", "->>", "#>", "#>>":
		return t.jsonPath(n, left, right)
	case "~*", "!~*":
		return t.regexpBlind(n, left, right)
	case "SIMILAR TO", "NOT SIMILAR TO", "GLOB", "NOT GLOB":
		return t.patternRule(n, left, right)
	case "IS":
		return t.isTruth(n, left, right)
	case "IN", "NOT IN":
		return t.inArray(n, left, right)
	case "=", "<>", "!=":
		return t.quantifiedArray(n, left, right)
	case "LIKE", "NOT LIKE":
		return t.like(n, left, right)
	case "DIV", "//":
		return t.wholeDivision(n, left, right)
	case "@>", "<@":
		t.no(left.hi, "the operator "+n.op)
		return true
	case "+", "-":
		return t.dateArithmetic(n, left, right)
	case "||":
		if !t.OrConcat {
			t.infix("%1 OR %2", n, left, right)
			return true
		}
		return false
	case "^":
		template := "power(%1, %2)"
		if t.Caret == "xor" {
			template = "bitwise_xor(%1, %2)"
		}
		t.infix(template, n, left, right)
		return true
	case "&&":
		if t.dialect == DialectPostgreSQL {
			t.infix("arrays_overlap(%1, %2)", n, left, right)
			return true
		}
	}
	template, ok := operatorTemplates[n.op]
	if !ok {
		return false
	}
	if len(n.kids) == 3 { // ILIKE ... ESCAPE
		t.infix(template+" ESCAPE ", n, left, right)
		t.emit(n.kids[2])
		return true
	}
	t.infix(template, n, left, right)
	return true
}

// infix writes two operands into a template. Where the template keeps the form
// "left op right", what stands between them stays.
func (t *translator) infix(template string, n, left, right *node) {
	start := len(t.out)
	for i := 0; i < len(template); i++ {
		if template[i] != '%' || i+1 == len(template) {
			t.write(template[i:i+1], left.hi)
			continue
		}
		i++
		bare := i >= 2 && strings.ContainsRune("(,", rune(template[i-2])) || i >= 3 && template[i-3:i-1] == ", "
		switch template[i] {
		case '1', '2':
			operand := left
			if template[i] == '2' {
				operand = right
			}
			if bare || t.binds(n, operand) {
				t.emit(operand)
			} else {
				t.operand(operand)
			}
		default:
			t.write(template[i:i+1], left.hi)
		}
	}
	mark := t.mark
	t.mark = start
	t.change("operator", left.hi, left.hi+1, strings.ToUpper(n.op)+" is not Presto")
	t.mark = mark
}

// binds reports whether an operand needs no parentheses: it had none before an
// operator that stays of the same strength.
func (t *translator) binds(n, operand *node) bool {
	switch n.op {
	case "==", "<=>", "&&", "MOD", "||":
		return true
	}
	return operand.primary()
}

// isTruth: x IS TRUE has no form of its own in Presto.
func (t *translator) isTruth(n, left, right *node) bool {
	word := strings.ToUpper(t.textOf(right))
	negated := t.tok(right.lo - 1).is("NOT")
	var template string
	switch word {
	case "TRUE", "FALSE":
		template = " IS NOT DISTINCT FROM " + strings.ToLower(word)
		if negated {
			template = " IS DISTINCT FROM " + strings.ToLower(word)
		}
	case "UNKNOWN":
		template = " IS NULL"
		if negated {
			template = " IS NOT NULL"
		}
	case "NULL":
		return false
	default:
		template = " IS NOT DISTINCT FROM "
		if negated {
			template = " IS DISTINCT FROM "
		}
		t.operand(left)
		t.write(template, left.hi)
		t.operand(right)
		t.change("is_true", n.lo, n.hi, "IS compares with NULL only in Presto")
		return true
	}
	t.operand(left)
	t.write(template, left.hi)
	t.change("is_true", n.lo, n.hi, "IS "+word+" is not Presto")
	return true
}

// inArray: x IN UNNEST(a), x IN a.
func (t *translator) inArray(n, left, right *node) bool {
	array := right
	if right.kind == nodeCall && right.op == "unnest" && len(right.args) == 1 {
		array = right.args[0]
	}
	if n.op == "NOT IN" {
		t.write("NOT ", n.lo)
	}
	t.write("contains(", n.lo)
	t.emit(array)
	t.write(", ", n.lo)
	t.emit(left)
	t.write(")", n.lo)
	t.change("in_array", n.lo, n.hi, "Presto looks into an array with contains")
	return true
}

// quantifiedArray: x = ANY(array) is contains, unless it is a query.
func (t *translator) quantifiedArray(n, left, right *node) bool {
	if right.kind != nodeCall || len(right.args) != 1 || right.args[0].kind == nodeQuery {
		return false
	}
	any := right.op == "any" || right.op == "some"
	if !(any && n.op == "=") && !(right.op == "all" && n.op != "=") {
		return false
	}
	if !any {
		t.write("NOT ", n.lo)
	}
	t.write("contains(", n.lo)
	t.emit(right.args[0])
	t.write(", ", n.lo)
	t.emit(left)
	t.write(")", n.lo)
	t.change("any_array", n.lo, n.hi, "Presto looks into an array with contains")
	return true
}

// like adds the escape that other dialects have by default.
func (t *translator) like(n, left, right *node) bool {
	if t.CaseBlind || t.dialect == DialectSQLite {
		t.warn("case", left.hi, "LIKE looks at upper and lower case in Presto")
	}
	pattern, ok := t.literal(right)
	if !ok || !t.Backslash && t.dialect != DialectPostgreSQL || !strings.Contains(pattern, `\`) || len(n.kids) > 2 {
		return false
	}
	t.splice(n)
	t.write(` ESCAPE '\'`, n.lo)
	t.change("like_escape", n.lo, n.hi, "Presto's LIKE has no escape of its own")
	return true
}

// wholeDivision: a DIV b, a // b.
func (t *translator) wholeDivision(n, left, right *node) bool {
	t.write("CAST(truncate(CAST(", n.lo)
	t.emit(left)
	t.write(" AS double) / ", n.lo)
	t.operand(right)
	t.write(") AS bigint)", n.lo)
	t.change("whole_division", left.hi, left.hi+1, n.op+" is not Presto")
	return true
}

// regexpBlind: x ~* p compares without case.
func (t *translator) regexpBlind(n, left, right *node) bool {
	if n.op == "!~*" {
		t.write("NOT ", n.lo)
	}
	t.write("regexp_like(", n.lo)
	t.emit(left)
	t.write(", ", n.lo)
	if pattern, ok := t.literal(right); ok {
		t.write(printer.String("(?i)"+pattern), right.lo)
	} else {
		t.write("'(?i)' || ", right.lo)
		t.operand(right)
	}
	t.write(")", n.lo)
	t.change("operator", left.hi, left.hi+1, n.op+" is not Presto")
	return true
}

// patternRule: SIMILAR TO and GLOB with a pattern that is known.
func (t *translator) patternRule(n, left, right *node) bool {
	pattern, ok := t.literal(right)
	if !ok {
		t.no(left.hi, n.op+" with a pattern that is no literal")
		return true
	}
	if strings.HasPrefix(n.op, "NOT ") {
		t.write("NOT ", n.lo)
	}
	to := similarToRegexp(pattern)
	switch {
	case strings.HasSuffix(n.op, "GLOB"):
		to = globToRegexp(pattern)
	case t.dialect == DialectDuckDB: // a regular expression there
		to = "^(?:" + pattern + ")$"
	}
	t.write("regexp_like(", n.lo)
	t.emit(left)
	t.write(", "+printer.String(to)+")", right.lo)
	t.change("operator", left.hi, left.hi+1, n.op+" is not Presto")
	return true
}

// dateArithmetic writes the parts of a long interval one by one: x + INTERVAL '1
// month 2 days'.
func (t *translator) dateArithmetic(n, left, right *node) bool {
	if right.kind != nodeInterval {
		return false
	}
	parts, ok := t.intervalParts(right)
	if !ok || len(parts) < 2 {
		return false
	}
	t.emit(left)
	for _, p := range parts {
		t.write(" "+n.op+" "+p.text(), right.lo)
	}
	t.change("interval", right.lo, right.hi, "an interval has one unit in Presto")
	return true
}
