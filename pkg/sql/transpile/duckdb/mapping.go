package duckdb

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/sql/types"
)

//go:embed functions.tsv
var functionsFile string

// mapping is a line of functions.tsv.
type mapping struct {
	classes  []string
	variadic bool
	template string
}

var mappings = sync.OnceValue(func() map[string][]mapping {
	table := map[string][]mapping{}
	for line := range strings.Lines(functionsFile) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.SplitN(line, "\t", 3)
		m := mapping{template: cells[2]}
		classes, variadic := strings.CutSuffix(cells[1], "...")
		m.variadic = variadic
		if classes != "" {
			m.classes = strings.Split(classes, ", ")
		}
		table[cells[0]] = append(table[cells[0]], m)
	}
	return table
})

func (m mapping) fits(args []types.Type) bool {
	if len(args) != len(m.classes) && (!m.variadic || len(args) < len(m.classes)) {
		return false
	}
	for i, t := range args {
		if !inClass(t, m.classes[min(i, len(m.classes)-1)]) {
			return false
		}
	}
	return true
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
		return t.Base == "timestamp"
	case "tz":
		return t.Base == "timestamp with time zone"
	case "time":
		return t.Base == "date" || t.Base == "timestamp" || t.Base == "timestamp with time zone"
	}
	return t.Base == class
}

func (m mapping) fill(args []string) string {
	text := strings.ReplaceAll(m.template, "$*", strings.Join(args, ", "))
	if !strings.Contains(text, "$") || strings.Contains(m.template, "$*") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(m.template); i++ {
		if m.template[i] == '$' && i+1 < len(m.template) {
			if n, err := strconv.Atoi(m.template[i+1 : i+2]); err == nil && n >= 1 && n <= len(args) {
				b.WriteString(args[n-1])
				i++
				continue
			}
		}
		b.WriteByte(m.template[i])
	}
	return b.String()
}
