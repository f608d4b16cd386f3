package tree

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGeneratedIsCurrent compares children_gen.go with the types: each field that
// holds a node has to be walked and rewritten.
func TestGeneratedIsCurrent(t *testing.T) {
	t.Parallel()
	nodeType := reflect.TypeFor[Node]()
	for _, n := range []Node{&Query{}, &Select{}, &Call{}, &Frame{}, &JSONTable{}, &MatchRecognize{}, &TableArgument{}, &Statement{}, &Show{}, &Explain{}, &Ident{}} {
		fields := 0
		typ := reflect.TypeOf(n).Elem()
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Name == "Meta" {
				continue
			}
			ft := f.Type
			if ft.Kind() == reflect.Slice {
				ft = ft.Elem()
			}
			if ft.Implements(nodeType) {
				fields++
			}
		}
		require.Len(t, Children(n), fields, "%T: of an empty node each field gives one nil; run go generate", n)
	}
}

func TestWalkGoesParentsFirst(t *testing.T) {
	t.Parallel()
	call := Fn("f", Col("a"), Op(OpAdd, Col("b"), Int(1)))
	var seen []string
	Walk(call, func(n Node) bool {
		switch n := n.(type) {
		case *Ident:
			seen = append(seen, n.Name)
		case *Binary:
			seen = append(seen, n.Op)
		case *Number:
			seen = append(seen, n.Text)
		}
		return true
	})
	require.Equal(t, []string{"f", "a", "+", "b", "1"}, seen)
	seen = nil
	Walk(call, func(n Node) bool {
		if id, ok := n.(*Ident); ok {
			seen = append(seen, id.Name)
		}
		_, is := n.(*Binary)
		return !is
	})
	require.Equal(t, []string{"f", "a"}, seen)
}

func TestRewriteLeavesTheOriginal(t *testing.T) {
	t.Parallel()
	left, right := Col("a"), Col("b")
	sum := Op(OpAdd, left, right)
	cond := And(Op(OpGt, sum, Int(1)), Op(OpLt, right, Int(9)))
	out, err := Rewrite(cond, func(n Node) Node {
		if n == Node(left) {
			return Col("z")
		}
		return n
	})
	require.NoError(t, err)
	require.NotSame(t, cond, out)
	require.Same(t, left, sum.Left, "the original is untouched")
	require.Same(t, cond.(*Binary).Right, out.(*Binary).Right, "what did not change is shared")

	same, err := Rewrite(cond, func(n Node) Node { return n })
	require.NoError(t, err)
	require.Same(t, cond, same)

	_, err = Rewrite(cond, func(n Node) Node {
		if n == Node(left) {
			return TableOf("t")
		}
		return n
	})
	require.Error(t, err, "a table cannot stand for an expression")
}

func TestPosition(t *testing.T) {
	t.Parallel()
	s := NewSource("a\n名字 x")
	line, column := s.Position(len("a\n名字 "))
	require.Equal(t, []int{2, 4}, []int{line, column})
}
