package duckdb

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/presto"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// teradataTokens are the parts of a Teradata format with those of Joda's; a longer
// one comes before its beginning.
var teradataTokens = [...][2]string{
	{"hh24", "HH"}, {"yyyy", "yyyy"}, {"hh", "KK"}, {"mi", "mm"}, {"mm", "MM"}, {"dd", "dd"}, {"ss", "ss"}, {"yy", "yy"},
	{"-", "-"}, {"/", "/"}, {",", ","}, {".", "."}, {";", ";"}, {":", ":"}, {" ", " "},
}

// jodaFormat translates a Teradata format; false where a part is none.
func jodaFormat(format string) (string, bool) {
	var b strings.Builder
next:
	for format != "" {
		for _, token := range teradataTokens {
			if rest, ok := strings.CutPrefix(format, token[0]); ok {
				b.WriteString(token[1])
				format = rest
				continue next
			}
		}
		return "", false
	}
	return b.String(), true
}

// teradata writes to_char, to_date and to_timestamp.
func (e *emitter) teradata(fn string, c *tree.Call) string {
	format, ok := tree.Unparen(c.Args[1]).(*tree.String)
	if !ok {
		return e.no(c, "%s with a format that is no literal", fn)
	}
	result := map[string]types.Type{"to_char": types.Varchar(), "to_date": {Base: "date"}, "to_timestamp": {Base: "timestamp", Precision: 3}}[fn]
	pattern, ok := jodaFormat(format.Value)
	if !ok || pattern == "" {
		return fails(presto.InvalidArgument, "the format has a part that is not known", result)
	}
	with := *c
	with.Args = []tree.Expr{c.Args[0], tree.Str(pattern)}
	if fn == "to_char" {
		return e.formatDatetime(&with)
	}
	return "CAST(struct_extract(" + e.parseDatetime(&with) + ", 't') AS " + duckType(result) + ")"
}
