package term

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFormatsOfTables(t *testing.T) {
	t.Parallel()
	columns := []Column{{Title: "name"}, {Title: "n", Right: true}}
	rows := [][]string{{"a|b *c* <i>", "1"}, {"d\ne, \"f\"", "2"}, {"short"}}
	require.Equal(t, "| name | n |\n| --- | ---: |\n| a\\|b \\*c\\* &lt;i> | 1 |\n| d e, \"f\" | 2 |\n| short |  |\n", Markdown(columns, rows))
	var out bytes.Buffer
	require.NoError(t, WriteCSV(&out, columns, rows))
	require.Equal(t, "name,n\na|b *c* <i>,1\n\"d\ne, \"\"f\"\"\",2\nshort\n", out.String())
}
