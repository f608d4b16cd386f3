// Package lint finds what is valid Presto SQL and yet likely a mistake. Each rule
// has an id, a line in rules.tsv and a function in one of the rules_*.go files.
package lint

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

//go:embed rules.tsv
var rulesFile string

// Rule describes a rule.
type Rule struct {
	ID      string
	Default bool   // on unless it is disabled
	Catalog bool   // finds nothing without a catalog
	Finds   string // a clause: what is wrong
	Instead string // what to write instead
	Example string // a statement that it finds something in, over the tables of the tests
}

var rules = sync.OnceValue(func() []Rule {
	var all []Rule
	for line := range strings.Lines(rulesFile) {
		if line[0] == '#' {
			continue
		}
		f := strings.Split(strings.TrimSpace(line), "\t")
		all = append(all, Rule{ID: f[0], Default: f[1] == "yes", Catalog: f[2] == "yes", Finds: f[3], Instead: f[4], Example: f[5]})
	}
	return all
})

// Rules returns all rules, in the order of their file.
func Rules() []Rule { return slices.Clone(rules()) }

// Finding is what a rule found.
type Finding struct {
	Rule    Rule
	Message string
	Node    tree.Node // where
	// Table, of missing-partition and fan-out: the stored table that it is about,
	// with the columns of its partition or its key.
	Table   catalog.Name
	Columns []string
}

// Options of Check.
type Options struct {
	// Enable and Disable name rules that are switched on or off; the id "all" means
	// every rule. Disable wins.
	Enable, Disable []string
	// Catalog says that the resolution was made with a catalog and has no mistake.
	Catalog bool
	// Now is the moment that current_date stands for.
	Now time.Time
}

// Check returns what the rules find, in order of the text. An unknown id in the
// options is an error.
func Check(r *resolve.Resolution, o Options) ([]Finding, error) {
	on, err := o.rules()
	if err != nil {
		return nil, err
	}
	if r.Statement().Query == nil {
		return nil, nil
	}
	c := &checker{r: r, options: o, stored: storedTables(r.Statement())}
	for _, rule := range on {
		if !rule.Catalog || o.Catalog {
			c.rule = rule
			functions[rule.ID](c, r.Statement().Query)
		}
	}
	slices.SortStableFunc(c.found, func(a, b Finding) int { return cmp.Compare(a.Node.Span().Start, b.Node.Span().Start) })
	return c.found, nil
}

func (o Options) rules() ([]Rule, error) {
	for _, id := range slices.Concat(o.Enable, o.Disable) {
		if id != "all" && !slices.ContainsFunc(rules(), func(r Rule) bool { return r.ID == id }) {
			return nil, fmt.Errorf("there is no rule %q", id)
		}
	}
	has := func(ids []string, id string) bool { return slices.Contains(ids, id) || slices.Contains(ids, "all") }
	var on []Rule
	for _, rule := range rules() {
		if (rule.Default || has(o.Enable, rule.ID)) && !has(o.Disable, rule.ID) {
			on = append(on, rule)
		}
	}
	return on, nil
}

// functions are the rules by id.
var functions = map[string]func(*checker, *tree.Query){
	"select-star": selectStar, "missing-partition": missingPartition, "integer-division": integerDivision,
	"cross-join": crossJoin, "not-in-null": notInNull, "order-in-subquery": orderInSubquery,
	"limit-without-order": limitWithoutOrder, "equals-null": equalsNull, "left-join-filter": leftJoinFilter,
	"fan-out": fanOut, "union-distinct": unionDistinct, "ordinal": ordinal, "like-without-wildcard": likeWithoutWildcard,
}

// checker holds what the rules look at.
type checker struct {
	r       *resolve.Resolution
	options Options
	stored  map[*tree.Table]bool // tables that are no common tables
	rule    Rule
	found   []Finding
}

// report notes a finding; detail is put before what the rule finds, may be empty.
func (c *checker) report(n tree.Node, detail string) {
	message := c.rule.Finds
	if detail != "" {
		message = detail + ": " + message
	}
	c.found = append(c.found, Finding{Rule: c.rule, Message: message, Node: n})
}

// reportTable notes a finding about columns of a stored table.
func (c *checker) reportTable(n tree.Node, t *catalog.Table, columns []string) {
	c.report(n, strings.Join(columns, ", "))
	last := &c.found[len(c.found)-1]
	last.Table, last.Columns = t.Name, columns
}

// storedTables returns the tables of a statement that name no common table.
func storedTables(stmt *tree.Statement) map[*tree.Table]bool {
	common := map[string]bool{}
	stored := map[*tree.Table]bool{}
	tree.Walk(stmt, func(n tree.Node) bool {
		if t, ok := n.(*tree.CommonTable); ok {
			common[t.Name.Key()] = true
		}
		return true
	})
	tree.Walk(stmt, func(n tree.Node) bool {
		if t, ok := n.(*tree.Table); ok && (len(t.Name.Parts) > 1 || !common[t.Name.Key()]) {
			stored[t] = true
		}
		return true
	})
	return stored
}

// selects calls visit for every SELECT below a node.
func selects(n tree.Node, visit func(*tree.Select)) {
	tree.Walk(n, func(n tree.Node) bool {
		if s, ok := n.(*tree.Select); ok {
			visit(s)
		}
		return true
	})
}

// conjuncts splits a condition at its ANDs, without the parentheses of the parts.
func conjuncts(x tree.Expr) []tree.Expr {
	parts := tree.Conjuncts(x)
	for i, part := range parts {
		parts[i] = tree.Unparen(part)
	}
	return parts
}

// leaves returns the relations of a FROM element that are no joins, with the names
// by which columns refer to them, in lower case.
func leaves(r tree.Relation) map[string]tree.Relation {
	out := map[string]tree.Relation{}
	var add func(r tree.Relation, alias string)
	add = func(r tree.Relation, alias string) {
		switch r := r.(type) {
		case *tree.Join:
			add(r.Left, "")
			add(r.Right, "")
		case *tree.ParenRelation:
			add(r.Relation, alias)
		case *tree.Sampled:
			add(r.Relation, alias)
		case *tree.Aliased:
			add(r.Relation, r.Alias.Key())
		case *tree.Table:
			if alias == "" {
				alias = r.Name.Parts[len(r.Name.Parts)-1].Key()
			}
			out[alias] = r
		default:
			if alias == "" {
				alias = fmt.Sprintf("#%d", len(out))
			}
			out[alias] = r
		}
	}
	add(r, "")
	return out
}

// qualifiers returns the names before the last part of all columns in x, in lower
// case; bare says that a column has none. Queries inside x are looked into too.
func qualifiers(x tree.Expr) (names map[string]bool, bare bool) {
	names = map[string]bool{}
	tree.Walk(x, func(n tree.Node) bool {
		if c, ok := n.(*tree.ColumnRef); ok {
			if len(c.Parts) == 1 {
				bare = true
			} else {
				names[c.Parts[len(c.Parts)-2].Key()] = true
			}
		}
		return true
	})
	return names, bare
}
