package trino

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// jsonPath: x -> 'a', x ->> 'a', x #>> '{a,b}'.
func (t *translator) jsonPath(n, left, right *node) bool {
	path, ok := t.literal(right)
	if !ok {
		if path, ok = t.whole(right); !ok {
			t.no(left.hi, n.op+" with a path that is no literal")
			return true
		}
		path = "$[" + path + "]"
	} else {
		path = jsonPathOf(path, strings.HasPrefix(n.op, "#"))
	}
	name := "json_extract"
	if strings.HasSuffix(n.op, ">>") {
		name = "json_extract_scalar"
		t.warn("json_path", left.hi, n.op+" of an object or an array is NULL in Presto, its text elsewhere")
	}
	t.write(name+"(", n.lo)
	t.emit(left)
	t.write(", "+printer.String(path)+")", right.lo)
	t.change("json_path", left.hi, left.hi+1, n.op+" is "+name+" in Presto")
	return true
}

// jsonPathOf makes a path of a key, of {a,b}, or of a path.
func jsonPathOf(text string, list bool) string {
	if strings.HasPrefix(text, "$") {
		return text
	}
	keys := []string{text}
	if list {
		keys = strings.Split(strings.Trim(text, "{}"), ",")
	}
	path := "$"
	for _, k := range keys {
		switch {
		case list && k != "" && digits(k) == len(k):
			path += "[" + k + "]"
		case printer.Ident(k) == k:
			path += "." + k
		default:
			path += `["` + strings.ReplaceAll(k, `"`, `\"`) + `"]`
		}
	}
	return path
}
