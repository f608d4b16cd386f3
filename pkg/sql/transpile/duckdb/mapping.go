package duckdb

import (
	"embed"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/sql/types"
)

// Mappings of functions, a file a subject; functions.tsv says how they are written.
//
//go:embed functions.tsv aggregates.tsv nested.tsv
var mappingFiles embed.FS

// mapping is a line of a file of mappings.
type mapping struct {
	classes  []class
	variadic bool
	template string
}

var mappings = sync.OnceValue(func() map[string][]mapping {
	table := map[string][]mapping{}
	files, err := mappingFiles.ReadDir(".")
	if err != nil {
		return table // cannot be: the folder is in the program
	}
	for _, f := range files {
		text, err := mappingFiles.ReadFile(f.Name())
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(line, "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			cells := strings.SplitN(line, "\t", 3)
			table[cells[0]] = append(table[cells[0]], newMapping(cells[1], cells[2]))
		}
	}
	return table
})

func newMapping(arguments, template string) mapping {
	m := mapping{template: withFields(template)}
	arguments, m.variadic = strings.CutSuffix(arguments, "...")
	if arguments != "" {
		for _, word := range strings.Split(arguments, ", ") {
			m.classes = append(m.classes, newClass(word))
		}
	}
	return m
}

// class says which types an argument may have: by a word, or by a pattern with
// type variables, which are single capital letters.
type class struct {
	word    string
	pattern types.Type
}

func newClass(word string) class {
	if word == strings.ToLower(word) && !strings.Contains(word, "(") {
		return class{word: word}
	}
	return class{pattern: types.Parse(strings.ReplaceAll(word, ";", ","))}
}

func (m mapping) class(i int) class { return m.classes[min(i, len(m.classes)-1)] }

// fits returns what the type variables stand for.
func (m mapping) fits(args []types.Type) (variables, bool) {
	if len(args) != len(m.classes) && (!m.variadic || len(args) < len(m.classes)) {
		return nil, false
	}
	vars := variables{}
	for i, t := range args {
		c := m.class(i)
		if c.word != "" && !inClass(t, c.word) || c.word == "" && !vars.match(c.pattern, t) {
			return nil, false
		}
	}
	return vars, true
}

func inClass(t types.Type, class string) bool {
	if t.IsNull() {
		return true
	}
	switch class {
	case "any":
		return true
	case "int":
		return t.IsInteger()
	case "dec":
		return t.IsDecimal()
	case "float":
		return t.IsFloat()
	case "num":
		return t.IsNumeric()
	case "text":
		return t.IsText()
	case "bool":
		return t.Base == "boolean"
	case "date":
		return t.Base == "date"
	case "ts":
		return t.Base == "timestamp" && t.Precision <= 6
	case "tz":
		return t.Base == "timestamp with time zone" && t.Precision <= 6
	case "clock":
		return t.Base == "time"
	case "time":
		return t.Base == "date" || t.Base == "timestamp"
	case "lambda":
		return t.Base == "function"
	}
	return t.Base == class
}

// variables are what the type variables of a mapping stand for in a call.
type variables map[string]types.Type

// match tries a type on a pattern. A variable is the common type of all that it
// stands for.
func (v variables) match(pattern, t types.Type) bool {
	switch {
	case len(pattern.Base) == 1:
		have, bound := v[pattern.Base]
		if !bound {
			v[pattern.Base] = t
			return true
		}
		common, ok := types.Common(have, t)
		v[pattern.Base] = common
		return ok
	case t.IsNull():
		for _, a := range pattern.Args {
			v.match(a, t)
		}
		return true
	case len(pattern.Args) == 0:
		if t.Base == pattern.Base || t.IsText() && pattern.Base == "varchar" { // whatever their length
			return true
		}
		return !t.IsUnknown() && types.Coercible(t, pattern)
	}
	if pattern.Base != t.Base || len(pattern.Args) != len(t.Args) {
		return false
	}
	for i := range pattern.Args {
		if !v.match(pattern.Args[i], t.Args[i]) {
			return false
		}
	}
	return true
}

// put writes a pattern with the variables replaced.
func (v variables) put(pattern types.Type) types.Type {
	if len(pattern.Base) == 1 {
		return v[pattern.Base]
	}
	out := pattern
	out.Args = make([]types.Type, len(pattern.Args))
	for i, a := range pattern.Args {
		out.Args[i] = v.put(a)
	}
	return out
}

// argument is what a template can write: an expression, or a lambda with the
// texts that stand for its parameters.
type argument struct {
	text   string
	lambda func(params []string) string
}

// fillTexts fills a template without lambdas.
func (m mapping) fillTexts(args []string) string {
	out := make([]argument, len(args))
	for i, a := range args {
		out[i].text = a
	}
	return m.fill(out, "")
}

// fill writes the template: $1 is the first argument, $* all of them with commas,
// $2{x; y} the body of the second one, a lambda, with x and y for its parameters,
// @ the suffix that makes names of the template's own unlike all others.
func (m mapping) fill(args []argument, suffix string) string {
	var b strings.Builder
	t := m.template
	for i := 0; i < len(t); i++ {
		switch {
		case t[i] == '@' && suffix != "":
			b.WriteString(suffix)
		case t[i] == '$' && strings.HasPrefix(t[i:], "$*"):
			for j, a := range args {
				if j > 0 {
					b.WriteString(", ")
				}
				b.WriteString(a.text)
			}
			i++
		case t[i] == '$' && i+1 < len(t):
			n, err := strconv.Atoi(t[i+1 : i+2])
			if err != nil || n < 1 || n > len(args) {
				b.WriteByte(t[i])
				continue
			}
			i++
			arg := args[n-1]
			if arg.lambda == nil {
				b.WriteString(arg.text)
				continue
			}
			end := strings.IndexByte(t[i:], '}')
			params := strings.ReplaceAll(t[i+2:i+end], "@", suffix)
			b.WriteString(arg.lambda(strings.Split(params, "; ")))
			i += end
		default:
			b.WriteByte(t[i])
		}
	}
	return b.String()
}

// fieldPath is x.f in macros and templates, where presto_x or p is a parameter of
// a lambda and f a field of a struct.
var fieldPath = regexp.MustCompile(`'[^']*'|\b(?:presto_[a-z]@?|[a-z])\.[a-z][a-z0-9]*\b`)

// withFields writes x.f as struct_extract(x, 'f'): in HAVING the engine takes the
// dotted form for a column.
func withFields(text string) string {
	return fieldPath.ReplaceAllStringFunc(text, func(path string) string {
		if path[0] == '\'' {
			return path
		}
		base, field, _ := strings.Cut(path, ".")
		return "struct_extract(" + base + ", '" + field + "')"
	})
}
