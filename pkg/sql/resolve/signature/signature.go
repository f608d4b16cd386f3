// Package signature holds the signatures of Presto's functions and operators, as
// data, and chooses among them by the types of arguments, as Trino does: an exact
// match without type variables first, then one with, then the most specific of
// those that the arguments can be coerced to.
package signature

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/sql/types"
)

//go:embed functions.tsv
var functionsFile string

//go:embed operators.tsv
var operatorsFile string

// Kind of a function.
type Kind string

// Kinds of functions.
const (
	KindScalar    Kind = "scalar"
	KindAggregate Kind = "aggregate"
	KindWindow    Kind = "window"
	KindTable     Kind = "table"
)

// Signature is one way to call a function.
type Signature struct {
	Name   string // lower case
	Kind   Kind
	Random bool // may give different values for the same arguments

	result   pattern
	args     []pattern
	variadic bool // the last argument may repeat, or be left out
	vars     []variable
	numbers  int // how many number variables there are
	calc     []calculation
	text     string // arguments and constraints as Trino's messages show them
}

// variable stands for any type, the same one throughout a signature.
type variable struct {
	name       string
	comparable bool
	orderable  bool
}

// String returns the signature as Trino's messages show it: "sum(decimal(p,s))".
func (s *Signature) String() string { return s.text }

// param is the pattern of the i-th argument.
func (s *Signature) param(i int) *pattern { return &s.args[min(i, len(s.args)-1)] }

func (s *Signature) takes(n int) bool {
	return n == len(s.args) || s.variadic && n >= len(s.args)-1
}

// Functions returns the signatures of a function by its name in lower case; none
// where Presto has no such function.
func Functions(name string) []*Signature { return functions().byName[name] }

// Names returns the names of all functions in lower case, in no order. It is not
// to be changed.
func Names() []string { return functions().names }

// Operator returns the signatures of an operator: + - * / %, "negate" for a sign,
// "[]" for a subscript.
func Operator(op string) []*Signature { return operators().byName[op] }

type table struct {
	byName map[string][]*Signature
	names  []string
}

func (t *table) add(s *Signature) {
	if len(t.byName[s.Name]) == 0 {
		t.names = append(t.names, s.Name)
	}
	t.byName[s.Name] = append(t.byName[s.Name], s)
}

var functions = sync.OnceValue(func() *table {
	t := &table{byName: map[string][]*Signature{}}
	for cells := range rows(functionsFile, 6) {
		kind, random := strings.CutSuffix(cells[1], "!")
		s := parse(cells[0], cells[2:])
		s.Kind, s.Random = Kind(kind), random
		t.add(s)
	}
	return t
})

var operators = sync.OnceValue(func() *table {
	t := &table{byName: map[string][]*Signature{}}
	for cells := range rows(operatorsFile, 5) {
		s := parse(cells[0], cells[1:])
		s.Kind = KindScalar
		t.add(s)
	}
	return t
})

// rows yields the lines of a table, each with n cells.
func rows(file string, n int) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(file) {
			line = strings.TrimRight(line, "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			cells := strings.Split(line, "\t")
			for len(cells) < n {
				cells = append(cells, "")
			}
			if !yield(cells) {
				return
			}
		}
	}
}

// parse reads the cells result, arguments, variables, calculations.
func parse(name string, cells []string) *Signature {
	s := &Signature{Name: name}
	for v := range strings.SplitSeq(cells[2], ", ") {
		if v == "" {
			continue
		}
		id, constraint, _ := strings.Cut(v, ":")
		s.vars = append(s.vars, variable{
			name: strings.ToLower(id), comparable: constraint == "comparable", orderable: constraint == "orderable",
		})
	}
	args, variadic := strings.CutSuffix(cells[1], "...")
	s.variadic = variadic
	s.text = strings.TrimSpace(name + "(" + args + ") " + cells[2])
	p := patternParser{signature: s, numbers: map[string]int{}}
	s.args = p.list(args)
	s.result = p.one(cells[0])
	for c := range strings.SplitSeq(cells[3], "; ") {
		if id, formula, ok := strings.Cut(c, " = "); ok {
			s.calc = append(s.calc, calculation{target: p.number(id), value: p.formula(formula)})
		}
	}
	s.numbers = len(p.numbers)
	return s
}

// Call is a signature with its variables filled in.
type Call struct {
	Signature *Signature
	Args      []types.Type // what each argument is coerced to
	Result    types.Type
}
