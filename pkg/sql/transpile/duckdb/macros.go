package duckdb

import (
	"embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed macros.sql nested.sql
var macroFiles embed.FS

// Macro returns the statement that makes a macro of transpiled SQL's, and whether
// there is one of the name. It has to be run in the main database of an engine,
// after those of the macros that it calls.
func Macro(name string) (statement string, ok bool) {
	m, ok := macros()[name]
	return m.statement, ok
}

// MacroNames returns the names that Macro knows, sorted.
func MacroNames() []string { return slices.Sorted(maps.Keys(macros())) }

// Calls returns the names of the product's own functions and macros that a text may
// call, itself or by macros that it calls, each once and after those that it calls.
// It reads words only: a name inside a text or another name counts as well, so that
// none is ever missed, and some names are neither a macro nor a function.
func Calls(text string) []string {
	var out []string
	seen := map[string]bool{}
	var visit func(names []string)
	visit = func(names []string) {
		for _, name := range names {
			if seen[name] {
				continue
			}
			seen[name] = true
			visit(macros()[name].calls)
			out = append(out, name)
		}
	}
	visit(ownName.FindAllString(text, -1))
	return out
}

// macro is a macro by its parts.
type macro struct {
	statement  string   // that makes it
	parameters []string // their names
	body       string
	calls      []string // names in the body that may be the product's own
}

var (
	macroHead = regexp.MustCompile(`^CREATE OR REPLACE MACRO ([a-z0-9_]+)\(([^)]*)\) AS (.*);$`)
	ownName   = regexp.MustCompile(`presto_[a-z0-9_]+`)
)

// macros are those of macros.sql and nested.sql by name.
var macros = sync.OnceValue(func() map[string]macro {
	out := map[string]macro{}
	for _, file := range []string{"macros.sql", "nested.sql"} {
		text, err := macroFiles.ReadFile(file)
		if err != nil {
			continue // cannot be: the file is in the program
		}
		for line := range strings.Lines(limits().Replace(string(text))) {
			statement := withFields(strings.TrimSpace(line))
			if parts := macroHead.FindStringSubmatch(statement); parts != nil {
				out[parts[1]] = macro{
					statement: statement, parameters: strings.Split(parts[2], ", "), body: parts[3],
					calls: ownName.FindAllString(parts[3], -1),
				}
			}
		}
	}
	return out
})
