package trino

// nodeKind says what a node is; kinds that no rule asks for are nodeOther.
type nodeKind int

const (
	nodeOther nodeKind = iota
	nodeName           // a.b.c
	nodeLiteral
	nodeCall
	nodeBinary // kids: left, right
	nodePrefix // kids: operand
	nodeCast   // x::type; kids: x, type
	nodeType
	nodeParen    // kids: what is inside
	nodeInterval // kids: the amount
	nodeSubscript
	nodeArray
	nodeCase
	nodeQuery
	nodeSelect
	nodeTable
	nodeSort
	nodePatch // written by its own function
)

// node is a part of the text that a rule may write anew: tokens [lo, hi) and the
// nodes inside, in order. What no rule touches is written as it was.
type node struct {
	kind   nodeKind
	lo, hi int
	kids   []*node
	// op is the operator of a nodeBinary or nodePrefix, in upper case; the name of
	// a nodeCall, in lower case.
	op string
	// args are the arguments of a nodeCall; name its tokens [lo, open).
	args     []*node
	open     int    // the parenthesis of a call
	distinct bool   // the word is inside the call
	unit     [2]int // tokens of a nodeInterval's unit; equal: in the string
	sel      *selectParts
	query    *queryParts
	table    *tableParts
	sort     *sortParts
	// write replaces all rules.
	write func(t *translator)
}

// queryParts are what a query consists of.
type queryParts struct {
	body          *node
	orderBy       []*node // nodeSort
	orderLo       int     // the word ORDER; 0: none
	orderHi       int
	limitLo       int // the first of LIMIT and OFFSET; 0: none
	limitHi       int
	limit, offset *node // nil: none
	fetch         bool
}

// selectParts are what a SELECT consists of.
type selectParts struct {
	itemsLo, itemsHi int
	items            []*item
	distinctOn       []*node
	distinct         [2]int // tokens of DISTINCT ON (...)
	top              *node
	fromLo, fromHi   int // with the word FROM; 0: none
	tables           []*node
	where            *node
	groupLo, groupHi int // with the words GROUP BY; 0: none
	group            []*node
	qualifyLo        int // the word QUALIFY; 0: none
	qualify          *node
	extra            []*node // conditions that a rule adds to WHERE
}

// item is an element of a SELECT list.
type item struct {
	lo, hi   int
	expr     *node
	alias    int // token; -1: none
	star     bool
	starMods []starMod
}

// starMod is EXCEPT (...), REPLACE (...) or RENAME (...) behind a star.
type starMod struct {
	word   string
	lo, hi int
	items  []*item
}

// tableParts are what an element of FROM consists of.
type tableParts struct {
	name    *node // a table's name
	call    *node // a table function
	inner   *node // in parentheses
	alias   int   // token; -1: none
	columns []int // tokens
	offset  bool  // WITH OFFSET, or WITH ORDINALITY of other dialects
}

// sortParts are what an element of ORDER BY consists of.
type sortParts struct {
	expr  *node
	desc  bool
	nulls bool // NULLS FIRST or LAST is written
}

// patch is a node that write takes the place of tokens [lo, hi) with; with lo and
// hi equal it stands right behind the token before.
func patch(lo, hi int, write func(t *translator)) *node {
	return &node{kind: nodePatch, lo: lo, hi: hi, write: write}
}

// primary reports whether an operator beside the node needs no parentheses.
func (n *node) primary() bool {
	switch n.kind {
	case nodeName, nodeLiteral, nodeCall, nodeParen, nodeCase, nodeArray, nodeSubscript, nodeCast, nodeInterval:
		return true
	}
	return false
}

// walk visits a node and all below it, parents first.
func (n *node) walk(visit func(*node) bool) {
	if n == nil || !visit(n) {
		return
	}
	for _, k := range n.kids {
		k.walk(visit)
	}
}
