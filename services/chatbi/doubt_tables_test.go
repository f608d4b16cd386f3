package chatbi

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDoubtsAreToldOfEachTable: each table and column has its own warning, once, and no
// answer has more of them than the bound.
func TestDoubtsAreToldOfEachTable(t *testing.T) {
	t.Parallel()
	say := func(key string, args map[string]string) string {
		return key + " " + args["table"] + args["column"] + " " + args["n"]
	}
	d := doubts{seen: map[string]bool{}, say: say}
	told := func() []string {
		var out []string
		for _, w := range d.list {
			out = append(out, w.Code+": "+w.Message)
		}
		return out
	}
	for range 2 {
		d.warn(WarnRowsUnread, "rows_unread", map[string]string{"table": "orders", "n": "3"})
		d.warn(WarnRowsUnread, "rows_unread", map[string]string{"table": "returns", "n": "4"})
		d.warn(WarnValuesUnread, "values_unread", map[string]string{"column": "price", "n": "5"})
		d.warn(WarnTextColumn, "text_like_number", map[string]string{"column": "price"})
		d.warn(WarnTextColumn, "text_cast", map[string]string{"column": "price"})
	}
	require.Equal(t, []string{
		"ROWS_UNREAD: rows_unread orders 3", "ROWS_UNREAD: rows_unread returns 4", "VALUES_UNREAD: values_unread price 5", "TEXT_COLUMN: text_like_number price ",
	}, told())
	d.protected = true
	for i := range maxDoubts {
		d.warn(WarnTextColumn, "text_cast", map[string]string{"column": fmt.Sprint(i)})
	}
	require.Len(t, told(), maxDoubts)
	require.Equal(t, "TEXT_COLUMN: text_cast 0 ", told()[4], "what has no number is told as it is to everybody")
}
