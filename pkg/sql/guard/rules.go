package guard

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// treeRule is a rule that needs the tree only. Refusals by it do not depend on
// what the catalog holds.
type treeRule struct {
	id    string
	check func(*tree.Statement) *Refusal
}

// treeRules are run in this order.
func treeRules() []treeRule {
	return []treeRule{
		{"read_only", readOnly},
		{"parameters", parameters},
		{"table_functions", tableFunctions},
		{"system_tables", systemTables},
		{"functions", deniedFunctions},
	}
}

// readOnly lets queries pass and nothing else.
func readOnly(stmt *tree.Statement) *Refusal {
	if stmt.Kind == tree.KindQuery && stmt.Query != nil {
		return nil
	}
	first, _, _ := strings.Cut(string(stmt.Kind), " ")
	switch {
	case strings.HasPrefix(string(stmt.Kind), "EXPLAIN ANALYZE"):
		return &Refusal{Code: CodeReadOnly, Message: "EXPLAIN ANALYZE runs its statement and is refused: ask for the plan without ANALYZE, or run the query", Line: 1, Column: 1}
	case first == "SHOW" || first == "DESCRIBE" || first == "EXPLAIN":
		return &Refusal{Code: CodeNotQuery, Message: fmt.Sprintf("%s is not a query: table lists, columns and plans come from the catalog and from EXPLAIN of this tool", stmt.Kind), Line: 1, Column: 1}
	}
	return &Refusal{Code: CodeReadOnly, Message: fmt.Sprintf("%s is refused: only queries (SELECT, WITH, VALUES, TABLE) may run", stmt.Kind), Line: 1, Column: 1}
}

// find returns the first refusal that a node gives.
func find(stmt *tree.Statement, judge func(tree.Node) *Refusal) *Refusal {
	var refusal *Refusal
	tree.Walk(stmt, func(n tree.Node) bool {
		if refusal == nil {
			if refusal = judge(n); refusal != nil {
				refusal.Line, refusal.Column = n.Span().Position()
			}
		}
		return refusal == nil
	})
	return refusal
}

func parameters(stmt *tree.Statement) *Refusal {
	return find(stmt, func(n tree.Node) *Refusal {
		if _, ok := n.(*tree.Param); ok {
			return &Refusal{Code: CodeParameter, Message: "the parameter ? has no value: write the value itself"}
		}
		return nil
	})
}

func tableFunctions(stmt *tree.Statement) *Refusal {
	return find(stmt, func(n tree.Node) *Refusal {
		if f, ok := n.(*tree.TableFunction); ok {
			return &Refusal{Code: CodeTableFunction, Message: fmt.Sprintf("the table function %s is refused: only tables of the catalog can be read", f.Name)}
		}
		return nil
	})
}

// systemTables refuses the engine's own schemas and hidden tables: they would
// show more than the principal may see.
func systemTables(stmt *tree.Statement) *Refusal {
	return find(stmt, func(n tree.Node) *Refusal {
		t, ok := n.(*tree.Table)
		if !ok {
			return nil
		}
		parts := t.Name.Parts
		if strings.Contains(parts[len(parts)-1].Name, "$") {
			return &Refusal{Code: CodeSystemTable, Message: fmt.Sprintf("%s is a hidden table and is refused", t.Name)}
		}
		for i, p := range parts[:len(parts)-1] {
			key := p.Key()
			schema := i == len(parts)-2
			if schema && systemSchema(key) || !schema && key == "system" {
				return &Refusal{Code: CodeSystemTable, Message: fmt.Sprintf("%s belongs to the engine and is refused: list tables and columns with the catalog instead", t.Name)}
			}
		}
		return nil
	})
}

func systemSchema(name string) bool {
	switch name {
	case "information_schema", "pg_catalog", "pg_temp":
		return true
	}
	return false
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

func deniedFunctions(stmt *tree.Statement) *Refusal {
	return find(stmt, func(n tree.Node) *Refusal {
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
	})
}
