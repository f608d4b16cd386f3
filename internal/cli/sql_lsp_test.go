package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSQLLSP: an editor is told of mistakes, gets repairs and layout, and reads what a table
// and a column are.
func TestSQLLSP(t *testing.T) {
	t.Parallel()
	dir := writeSQL(t, map[string]string{"schema.ddl": shopTables})
	var in strings.Builder
	say := func(id int, method, params string) {
		head := `{"jsonrpc":"2.0",`
		if id > 0 {
			head += fmt.Sprintf(`"id":%d,`, id)
		}
		body := head + fmt.Sprintf(`"method":%q,"params":%s}`, method, params)
		fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	const document = `"textDocument":{"uri":"file:///q.sql"}`
	say(1, "initialize", `{}`)
	say(0, "textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":"file:///q.sql","version":1,"text":%q}}`, "select 1;\nselect b.nme, id from shop.buyers b\n"))
	say(2, "textDocument/codeAction", `{`+document+`,"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":2}}}`)
	say(3, "textDocument/hover", `{`+document+`,"position":{"line":1,"character":14}}`)
	say(4, "textDocument/hover", `{`+document+`,"position":{"line":1,"character":25}}`)
	say(5, "textDocument/formatting", `{`+document+`}`)
	say(6, "textDocument/codeAction", `{`+document+`,"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":2}}}`)
	say(7, "shutdown", `null`)
	say(0, "exit", `null`)
	r := executeSQL(t, in.String(), false, "lsp", "--catalog", filepath.Join(dir, "schema.ddl"))
	require.Equal(t, 0, r.code, r.err)
	require.Contains(t, r.out, `"diagnostics":[{"range":{"start":{"line":1,"character":7},"end":{"line":1,"character":12}},"severity":1,"code":"COLUMN_NOT_FOUND"`)
	require.Contains(t, r.out, `"title":"There is no column nme; the nearest is name."`)
	require.Contains(t, r.out, `"newText":"a"`)
	require.Contains(t, r.out, `"value":"id bigint`)
	require.Contains(t, r.out, `shop.buyers\n  id bigint`)
	require.Contains(t, r.out, `"newText":"SELECT 1;\n\nSELECT`)
	require.Contains(t, r.out, `{"id":6,"result":[],"jsonrpc":"2.0"}`, "the other statement is right")

	require.Equal(t, 2, executeSQL(t, "", false, "lsp", "--enable", "nonsense").code)
	require.Equal(t, 2, executeSQL(t, "SELECT 1\n\n", false, "lsp").code)
}
