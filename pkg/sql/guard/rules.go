package guard

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// nodeRule is a rule about single nodes of the tree. Refusals by it do not depend
// on what the catalog holds. answers: there is a directory, from which SHOW and
// information_schema are answered.
type nodeRule struct {
	id    string
	judge func(n tree.Node, answers bool) *Refusal
}

// nodeRules are looked at in this order: of a statement that breaks several, the
// first one is told.
func nodeRules() []nodeRule {
	return []nodeRule{
		{"parameters", parameter},
		{"table_functions", tableFunction},
		{"system_tables", systemTable},
		{"table_versions", tableVersion},
		{"functions", deniedFunction},
	}
}

// checkTree applies the rules that need the tree only.
func checkTree(stmt *tree.Statement, answers bool) *Refusal {
	if refusal := readOnly(stmt); refusal != nil {
		refusal.Rule = "read_only"
		return refusal
	}
	rules := nodeRules()
	first := make([]*Refusal, len(rules))
	tree.Walk(stmt, func(n tree.Node) bool {
		for i, rule := range rules {
			if first[i] != nil {
				continue
			}
			if first[i] = rule.judge(n, answers); first[i] != nil {
				first[i].Rule = rule.id
				first[i].Line, first[i].Column = n.Span().Position()
			}
		}
		return true
	})
	for _, refusal := range first {
		if refusal != nil {
			return refusal
		}
	}
	return nil
}

// readOnly lets queries pass and nothing else.
func readOnly(stmt *tree.Statement) *Refusal {
	if stmt.Kind == tree.KindQuery && stmt.Query != nil {
		return nil
	}
	refuse := func(code, message string) *Refusal {
		line, column := stmt.Span().Position()
		return &Refusal{Code: code, Message: message, Line: line, Column: column}
	}
	first, _, _ := strings.Cut(string(stmt.Kind), " ")
	switch {
	case stmt.Kind == tree.KindExplainAnalyze:
		return refuse(CodeReadOnly, "EXPLAIN ANALYZE runs its statement and is refused: ask for the plan without ANALYZE, or run the query")
	case stmt.Kind == tree.KindWithFunction:
		return refuse(CodeFunctionDenied, "WITH FUNCTION is refused: only built-in functions may be called")
	case first == "SHOW" || first == "DESCRIBE" || first == "EXPLAIN":
		return refuse(CodeNotQuery, fmt.Sprintf("%s is not answered here: table lists and columns come from the catalog, plans from the cost estimate", stmt.Kind))
	}
	return refuse(CodeReadOnly, fmt.Sprintf("%s is refused: only queries (SELECT, WITH, VALUES, TABLE) may run", stmt.Kind))
}

func parameter(n tree.Node, _ bool) *Refusal {
	if _, ok := n.(*tree.Param); !ok {
		return nil
	}
	return &Refusal{Code: CodeParameter, Message: "the parameter ? has no value: write the value itself"}
}

func tableFunction(n tree.Node, _ bool) *Refusal {
	f, ok := n.(*tree.TableFunction)
	if !ok || harmless(f) {
		return nil
	}
	return &Refusal{Code: CodeTableFunction, Message: fmt.Sprintf("the table function %s is refused: only tables of the catalog can be read", f.Name)}
}

// maxSequence bounds the numbers that the table function sequence may count.
const maxSequence = 1_000_000

// harmless reports a table function that reads nothing but the table named in it,
// or makes few rows.
func harmless(f *tree.TableFunction) bool {
	switch f.Name.Key() {
	case "exclude_columns":
		return true
	case "sequence":
		for _, a := range f.Args {
			n, ok := smallInteger(a.Value)
			if !ok || n < -maxSequence/2 || n > maxSequence/2 {
				return false
			}
		}
		return true
	}
	return false
}

// smallInteger reads an integer literal, which may have a sign.
func smallInteger(x tree.Expr) (n int64, ok bool) {
	sign := int64(1)
	if u, isUnary := x.(*tree.Unary); isUnary && u.Op == "-" {
		sign, x = -1, u.X
	}
	literal, isNumber := x.(*tree.Number)
	if !isNumber {
		return 0, false
	}
	n, err := strconv.ParseInt(literal.Text, 10, 64)
	return sign * n, err == nil
}

// systemTable refuses the engine's own schemas and hidden tables: they would show
// more than the principal may see. What information_schema holds of the catalog is
// answered from it.
func systemTable(n tree.Node, answers bool) *Refusal {
	t, ok := n.(*tree.Table)
	if !ok {
		return nil
	}
	parts := t.Name.Parts
	last := parts[len(parts)-1]
	if strings.Contains(last.Name, "$") {
		return &Refusal{Code: CodeSystemTable, Message: fmt.Sprintf("%s is a hidden table and is refused", t.Name)}
	}
	for i, p := range parts[:len(parts)-1] {
		key := p.Key()
		schema := i == len(parts)-2
		if schema && answers && key == informationSchema && len(parts) <= 3 && known(last.Key()) {
			continue
		}
		if schema && systemSchema(key) || !schema && key == "system" {
			return &Refusal{Code: CodeSystemTable, Message: fmt.Sprintf("%s belongs to the engine and is refused: list tables and columns with the catalog instead", t.Name)}
		}
	}
	return nil
}

func systemSchema(name string) bool {
	switch name {
	case "information_schema", "pg_catalog", "pg_temp":
		return true
	}
	return false
}

// tableVersion refuses to read a table as it was: what is no longer there may have
// been taken away on purpose, and the catalog describes what is.
func tableVersion(n tree.Node, _ bool) *Refusal {
	v, ok := n.(*tree.TableVersion)
	if !ok {
		return nil
	}
	return &Refusal{Code: CodeTableVersion, Message: fmt.Sprintf("FOR %s AS OF is refused: only the present state of a table can be read", v.Kind)}
}

func deniedFunction(n tree.Node, _ bool) *Refusal {
	c, ok := n.(*tree.Call)
	if !ok {
		return nil
	}
	if len(c.Name.Parts) > 1 {
		return &Refusal{Code: CodeFunctionDenied, Message: fmt.Sprintf("the function %s is refused: only built-in functions may be called, without a schema", c.Name)}
	}
	if reason, ok := denied()[c.Name.Key()]; ok {
		return &Refusal{Code: CodeFunctionDenied, Message: fmt.Sprintf("the function %s is refused: %s", c.Name, reason)}
	}
	return nil
}

// unaccounted refuses a table that resolving did not look at: it is neither one
// that the asker may read, nor the name of a common table in sight.
func unaccounted(r *resolve.Resolution) *Refusal {
	var refusal *Refusal
	var walk func(n tree.Node, common map[string]bool)
	walk = func(n tree.Node, common map[string]bool) {
		tree.Walk(n, func(below tree.Node) bool {
			switch below := below.(type) {
			case *tree.Query:
				if below.With == nil || below == n {
					return refusal == nil
				}
				inside := maps.Clone(common)
				for _, c := range below.With.Queries {
					inside[c.Name.Key()] = true
				}
				walk(below, inside)
				return false
			case *tree.Table:
				_, stored := r.Stored(below)
				if refusal == nil && !stored && (len(below.Name.Parts) > 1 || !common[below.Name.Key()]) {
					line, column := below.Span().Position()
					refusal = &Refusal{
						Rule: "tables", Code: string(resolve.NotSupported), Line: line, Column: column,
						Message: fmt.Sprintf("the table %s stands in a place that is not understood and is refused", below.Name),
					}
				}
			}
			return refusal == nil
		})
	}
	walk(r.Statement(), map[string]bool{})
	return refusal
}

// storedTables are the tables of the warehouse that a statement reads.
func storedTables(r *resolve.Resolution) []catalog.Name {
	return slices.DeleteFunc(slices.Clone(r.Tables()), isVirtual)
}

//go:embed denied.txt
var deniedFile string

// denied maps a function's name to why it is refused.
var denied = sync.OnceValue(func() map[string]string {
	reasons := map[string]string{}
	for line := range strings.Lines(deniedFile) {
		line = strings.TrimRight(line, "\n")
		if name, reason, ok := strings.Cut(line, "\t"); ok && line[0] != '#' {
			reasons[name] = reason
		}
	}
	return reasons
})
