package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/dibrain/dibrain/pkg/ingest/ddl"
	"github.com/dibrain/dibrain/pkg/ingest/written"
)

// TestRowsOfASheetThatArePassedOver count: what is told of a row names its place in the
// sheet.
func TestRowsOfASheetThatArePassedOver(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	t.Cleanup(func() { require.NoError(t, book.Close()) })
	for i, row := range [][]any{{"passed over"}, {"a", "b"}, {1, true}, {}, {2, false}} {
		at, err := excelize.CoordinatesToCellName(1, i+1)
		require.NoError(t, err)
		require.NoError(t, book.SetSheetRow("Sheet1", at, &row))
	}
	for skip, want := range map[int][]string{0: {"passed over", "a", "1", "2"}, 1: {"a", "1", "2"}, 3: {"2"}, 9: nil} {
		f := &csvFile{book: book, sheet: "Sheet1", words: written.NewWords(), options: &Options{SkipRows: skip}}
		r, closer, err := f.records(t.Context())
		require.NoError(t, err)
		lines := map[string]int{"passed over": 1, "a": 2, "1": 3, "2": 5}
		var got []string
		for {
			cells, err := r.read()
			if err != nil {
				break
			}
			got = append(got, cells[0].text)
			require.Equal(t, lines[cells[0].text], r.at(), "skip %d: %v", skip, cells)
			if cells[0].text == "1" {
				require.Equal(t, "TRUE", cells[1].text)
			}
		}
		require.Equal(t, want, got, skip)
		require.NoError(t, closer.Close())
	}
}

// TestWhichDelimiterCuts: the one that cuts most lines alike; of equals the comma first, then
// the semicolon, the tab and the bar; a comma between digits may be a decimal one. A person's own choice goes before it.
func TestWhichDelimiterCuts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]byte{
		"a,b;c\nx,y;z\n": ',', "a,b;c\n1,2;3\n": ';', "a;b|c\n1;2|3\n": ';', "a\tb|c\n1\t2|3\n": '\t', "a|b\n1|2\n": '|', "a;b;c\n1,5;2;3\n2,5;3;4\n": ';', "a\n1\n": ',', "": ',',
		"a;b;c,d\n1;2;3,4\n": ';', "x\na;b\n1;2\n3;4,5\n": ';',
	} {
		got, err := (&csvFile{options: &Options{}}).sniffDelimiter([]byte(text))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "%q", text)
		got, err = (&csvFile{options: &Options{Delimiter: '#'}}).sniffDelimiter([]byte(text))
		require.NoError(t, err)
		require.Equal(t, "#", string(got))
	}
	for _, none := range []rune{'"', '\n', '\r', 'é', '，'} {
		_, err := (&csvFile{options: &Options{Delimiter: none}}).sniffDelimiter(nil)
		require.ErrorContains(t, err, "give one ASCII character")
	}
}

// TestReferencesOfAllParts are those of the whole, each once; what one part alone declares
// is not.
func TestReferencesOfAllParts(t *testing.T) {
	t.Parallel()
	to := func(table string, columns ...string) ddl.ForeignKey {
		return ddl.ForeignKey{Columns: columns, Ref: ddl.Name{Table: table}}
	}
	whole := &ddl.Table{ForeignKeys: []ddl.ForeignKey{to("a", "x")}}
	commonKeys(whole, []*ddl.Table{
		{ForeignKeys: []ddl.ForeignKey{to("a", "X"), to("b", "y"), to("c", "z"), to("d", "v")}},
		{ForeignKeys: []ddl.ForeignKey{to("b", "Y"), to("a", "x"), to("d", "w")}},
	})
	require.Equal(t, []ddl.ForeignKey{to("a", "x"), to("b", "y")}, whole.ForeignKeys)
}
