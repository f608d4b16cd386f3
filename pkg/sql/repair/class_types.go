package repair

import (
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// typeNames are the types of Presto that people name.
var typeNames = strings.Fields("boolean tinyint smallint integer bigint real double decimal varchar char varbinary json date time timestamp interval array map row uuid ipaddress")

// typeEdits take the nearest type of a cast to a type that is not there.
func typeEdits(_ *engine, now *reading) []edit {
	var edits []edit
	tree.Walk(now.stmt, func(n tree.Node) bool {
		cast, ok := n.(*tree.Cast)
		if !ok || cast.Type == nil || !slices.ContainsFunc(now.diagnostics, func(d resolve.Diagnostic) bool { return d.Node == tree.Node(cast) }) {
			return true
		}
		name := firstName(cast.Type.Span().Text())
		if best, certainty, ok := nearestOf(name, typeNames); ok && best != strings.ToLower(name) {
			start := cast.Type.Span().Start
			edits = append(edits, edit{start: start, end: start + len(name), text: best, class: "type_name", certainty: certainty})
		}
		return true
	})
	return edits
}

// firstName is the name that a text begins with.
func firstName(text string) string {
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }); i >= 0 {
		return text[:i]
	}
	return text
}
