package ddl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

// TestProblemsAreToldOnce: each thing that is wrong with a script is told where it is,
// once, and what stands after it is read where it can be trusted.
func TestProblemsAreToldOnce(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]struct {
		problems []string // line:column and the beginning of the message
		tables   string
	}{
		"CREATE TABLE a (x int);":                                         {nil, "a"},
		"CREATE TABLE a (,); CREATE TABLE b (x int);":                     {[]string{`1:17 found ","`}, "b"},
		"CREATE TABLE a (, 'open":                                         {[]string{`1:17 found ","`, "1:19 the text that begins here has no closing '"}, ""},
		"CREATE TABLE a (, \"open; CREATE TABLE b (x int);":               {[]string{`1:17 found ","`, `1:19 the text that begins here has no closing "`}, ""},
		"CREATE TABLE 'open":                                              {[]string{"1:14 the text that begins here has no closing '"}, ""},
		"CREATE TABLE a (x int);\n/* open":                                {[]string{"2:1 the comment that begins here has no closing */"}, "a"},
		"CREATE TABLE a (,;\nCREATE TABLE b (,);\nCREATE TABLE c (x int)": {[]string{`1:17 found ","`, `2:17 found ","`}, "c"},
	} {
		schema, err := ddl.Read(strings.NewReader(script), ddl.Config{})
		require.NoError(t, err)
		var got []string
		for _, p := range schema.Problems {
			got = append(got, fmt.Sprintf("%d:%d %s", p.Line, p.Column, p.Message))
		}
		require.Len(t, got, len(want.problems), "%s: %v", script, got)
		for i := range got {
			require.True(t, strings.HasPrefix(got[i], want.problems[i]), "%s: %s", script, got[i])
		}
		var names []string
		for _, table := range schema.Tables {
			names = append(names, table.Name.Table)
		}
		require.Equal(t, want.tables, strings.Join(names, " "), script)
	}
}
