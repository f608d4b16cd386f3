package fixsql

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/lint"
)

// dangerCodes are the linter's rules that people are warned of, with the code of
// the contract, which is the key of their words too.
var dangerCodes = map[string]string{
	"missing-partition":     "MISSING_PARTITION_FILTER",
	"integer-division":      "INTEGER_DIVISION",
	"cross-join":            "CROSS_JOIN",
	"fan-out":               "JOIN_FAN_OUT",
	"not-in-null":           "NOT_IN_NULLS",
	"like-without-wildcard": "LIKE_WITHOUT_WILDCARD",
	"limit-without-order":   "LIMIT_WITHOUT_ORDER",
	"equals-null":           "EQUALS_NULL",
}

// dangers are what is valid and yet seldom meant, in the order of the text. valid
// says that the statement has no mistake: some dangers cannot be told of others.
func (r reader) dangers(valid bool) ([]Diagnostic, error) {
	findings, err := lint.Check(r.resolution, lint.Options{Catalog: valid, Now: r.options.Now})
	if err != nil {
		return nil, err
	}
	var out []Diagnostic
	for _, f := range findings {
		name, ok := dangerCodes[f.Rule.ID]
		if !ok {
			continue
		}
		text := code(f.Node.Span().Text())
		columns := code(strings.Join(f.Columns, ", "))
		line, column := f.Node.Span().Position()
		out = append(out, Diagnostic{Code: name, Line: line, Column: column, Message: r.say(name, map[string]string{
			"text": text, "right": text, "table": code(f.Table.String()), "columns": columns, "key": columns,
		})})
	}
	return out, nil
}
