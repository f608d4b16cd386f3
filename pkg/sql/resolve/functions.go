package resolve

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/sql/types"
)

//go:embed functions.tsv
var functionsFile string

// Kind of a function.
type Kind string

// Kinds of functions.
const (
	KindScalar    Kind = "scalar"
	KindAggregate Kind = "aggregate"
	KindWindow    Kind = "window"
	KindTable     Kind = "table"
)

// signature is one way to call a function. Names that are no types, such as t or
// E, stand for any type, the same one throughout the signature.
type signature struct {
	kind     Kind
	result   types.Type
	args     []types.Type
	variadic bool // the last argument may repeat, or be left out
}

// parameters of types in signatures, such as varchar(x): they are free.
var typeParameters = regexp.MustCompile(`(varchar|char|decimal|timestamp|time)\([a-z0-9, ]+\)`)

var functions = sync.OnceValue(func() map[string][]signature {
	table := map[string][]signature{}
	for line := range strings.Lines(functionsFile) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, "\t")
		s := signature{kind: Kind(cells[1]), result: pattern(cells[2])}
		args, variadic := strings.CutSuffix(cells[3], "...")
		s.variadic = variadic
		if args != "" {
			s.args = pattern("row(" + args + ")").Args
		}
		table[cells[0]] = append(table[cells[0]], s)
	}
	return table
})

func pattern(text string) types.Type {
	return types.Parse(typeParameters.ReplaceAllString(strings.ToLower(text), "$1"))
}

// FunctionKind returns the kind of a function that Presto knows; ok is false for
// others. Special forms such as coalesce and if are scalar.
func FunctionKind(name string) (kind Kind, ok bool) {
	name = strings.ToLower(name)
	if isSpecialForm(name) {
		return KindScalar, true
	}
	if s := functions()[name]; len(s) > 0 {
		return s[0].kind, true
	}
	return "", false
}

// isVariable reports whether a type of a signature stands for any type.
func isVariable(t types.Type) bool {
	if len(t.Args) > 0 || strings.ContainsRune(t.Base, ' ') {
		return false
	}
	switch len(t.Base) {
	case 1:
		return true
	case 2:
		return t.Base[1] >= '0' && t.Base[1] <= '9'
	}
	return false
}

// binding is what the variables of a signature stand for in a call.
type binding map[string]types.Type

// fit tries an argument on a parameter and returns how far they are apart.
func (b binding) fit(param, arg types.Type) (distance int, ok bool) {
	switch {
	case arg.IsUnknown():
		return 1, true
	case isVariable(param):
		have, bound := b[param.Base]
		if !bound {
			b[param.Base] = arg
			return 2, true
		}
		common, ok := types.Common(have, arg)
		if ok {
			b[param.Base] = common
		}
		return 2, ok
	case arg.IsNull():
		return 1, true
	case param.Base == "function":
		return 0, arg.Base == "function"
	case len(param.Args) > 0:
		if param.Base != arg.Base || len(param.Args) != len(arg.Args) {
			return 0, false
		}
		for i := range param.Args {
			d, ok := b.fit(param.Args[i], arg.Args[i])
			if !ok {
				return 0, false
			}
			distance += d
		}
		return distance, true
	case param.Base == arg.Base:
		return 0, true
	}
	return types.Coercible(arg, param)
}

// put replaces the variables of a type by what they stand for.
func (b binding) put(t types.Type) types.Type {
	if isVariable(t) {
		return b[t.Base]
	}
	if len(t.Args) == 0 {
		return t
	}
	out := t
	out.Args = make([]types.Type, len(t.Args))
	for i, a := range t.Args {
		out.Args[i] = b.put(a)
	}
	return out
}
