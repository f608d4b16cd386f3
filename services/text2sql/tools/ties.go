package tools

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// WithTies is an ordered statement with a LIMIT that also returns the rows which are equal
// to its last one; ok is false for others.
func WithTies(sql string, stmt *tree.Statement) (all string, ok bool) {
	if stmt == nil || stmt.Query == nil || stmt.Query.Limit == nil || len(stmt.Query.OrderBy) == 0 || stmt.Query.Limit.Fetch {
		return "", false
	}
	count, isNumber := stmt.Query.Limit.Count.(*tree.Number)
	if !isNumber {
		return "", false
	}
	const keyword = "limit"
	at, end := count.Span().Start, count.Span().End
	if at < 0 || end > len(sql) || at > end {
		return "", false
	}
	before := strings.TrimRight(sql[:at], " \t\r\n")
	if len(before) < len(keyword) || !strings.EqualFold(before[len(before)-len(keyword):], keyword) {
		return "", false
	}
	return before[:len(before)-len(keyword)] + "FETCH FIRST " + count.Text + " ROWS WITH TIES" + sql[end:], true
}
