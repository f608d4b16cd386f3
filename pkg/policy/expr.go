package policy

import (
	"errors"
	"fmt"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// The placeholders of an expression, spelled as Trino spells them.
const (
	currentUser   = "CURRENT_USER"   // the principal's id, a varchar
	currentGroups = "current_groups" // current_groups(): the groups, array(varchar)
)

// expression is a filter or a mask as written.
type expression struct {
	tree tree.Expr
	line int
}

var errNotOne = errors.New("it is not exactly one expression")

// parseExpression reads one Presto expression over the columns of a table:
// without queries, aggregates, windows and parameters.
func parseExpression(text string, line int) (*expression, error) {
	stmt, err := parser.Parse("SELECT " + text)
	if err != nil {
		return nil, err
	}
	x, ok := onlyItem(stmt)
	if !ok {
		return nil, errNotOne
	}
	var forbidden error
	tree.Walk(x, func(n tree.Node) bool {
		if forbidden == nil {
			forbidden = judge(n)
		}
		return forbidden == nil
	})
	if forbidden != nil {
		return nil, forbidden
	}
	return &expression{tree: x, line: line}, nil
}

func onlyItem(stmt *tree.Statement) (tree.Expr, bool) {
	q := stmt.Query
	if len(q.OrderBy) > 0 || q.Offset != nil || q.Limit != nil {
		return nil, false
	}
	s, ok := q.Body.(*tree.Select)
	if !ok || s.Quantifier != tree.QuantifierNone || len(s.Items) != 1 || len(s.From) > 0 || s.Where != nil ||
		s.GroupBy != nil || s.Having != nil || len(s.Windows) > 0 {
		return nil, false
	}
	item, ok := s.Items[0].(*tree.SelectExpr)
	if !ok || item.Alias != nil {
		return nil, false
	}
	return item.Expr, true
}

// judge says why a node may not stand in an expression of a policy.
func judge(n tree.Node) error {
	switch n := n.(type) {
	case *tree.Query:
		return errors.New("queries are not allowed here: use the columns of the table itself")
	case *tree.Param:
		return errors.New("the parameter ? has no value here")
	case *tree.Special:
		switch n.Name {
		case currentUser, "CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_TIME", "LOCALTIMESTAMP", "LOCALTIME":
		default:
			return fmt.Errorf("%s is not known here: current_user is the asker", n.Name)
		}
	case *tree.ListAgg, *tree.Grouping:
		return errors.New("aggregates are not allowed here")
	case *tree.Call:
		if n.Over != nil {
			return errors.New("window functions are not allowed here")
		}
		key := n.Name.Key()
		if key == currentGroups {
			if len(n.Args) > 0 {
				return errors.New("current_groups() has no arguments")
			}
			return nil
		}
		kind, ok := resolve.FunctionKind(key)
		if !ok {
			return fmt.Errorf("there is no function %s", n.Name)
		}
		if kind != resolve.KindScalar {
			return fmt.Errorf("%s is no scalar function: a policy looks at one row at a time", n.Name)
		}
	}
	return nil
}

// bind puts the asker into the place of the placeholders, as literals of the
// tree: what a principal or a group is called is never read as SQL.
func (e *expression) bind(principal run.Principal) tree.Expr {
	groups := map[tree.Node]bool{} // the arrays that stand for current_groups()
	bound, err := tree.Rewrite(e.tree, func(n tree.Node) tree.Node {
		switch n := n.(type) {
		case *tree.Special:
			if n.Name == currentUser {
				return tree.Str(principal.ID)
			}
		case *tree.Call:
			if n.Name.Key() == currentGroups {
				array := arrayOf(principal.Groups)
				groups[array] = true
				return array
			}
			if n.Name.Key() == "contains" && len(n.Args) == 2 && groups[n.Args[0]] {
				return oneOf(n.Args[1], principal.Groups)
			}
		}
		return n
	})
	if err != nil { // an expression stands wherever one stood
		return &tree.Null{}
	}
	return bound
}

// arrayOf is an array(varchar) of texts.
func arrayOf(texts []string) tree.Expr {
	array := &tree.Array{}
	for _, text := range texts {
		array.Items = append(array.Items, tree.Str(text))
	}
	if len(texts) == 0 {
		return tree.CastTo(array, "array(varchar)")
	}
	return array
}

// oneOf is contains(ARRAY[texts], x), as every engine has it.
func oneOf(x tree.Expr, texts []string) tree.Expr {
	if len(texts) == 0 {
		return tree.Op(tree.OpNe, x, x) // false, or null where x is
	}
	in := &tree.InList{X: x}
	for _, text := range texts {
		in.List = append(in.List, tree.Str(text))
	}
	return in
}
