package ingest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAQuoteInsideAValueOpensNone: an inch sign inside a value opens no quoted one.
func TestAQuoteInsideAValueOpensNone(t *testing.T) {
	t.Parallel()
	r := newCSVReader(strings.NewReader("id,name\n1,5\" pipe\n2,6\" pipe\n"), ',', 1000)
	var got []string
	for {
		cells, err := r.read()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		got = append(got, cells[1].text)
	}
	require.Equal(t, []string{"name", `5" pipe`, `6" pipe`}, got)
}

// TestLinesAreCutAsCharactersAre: a line that is in the buffer as a whole gives the records, the faults and their places
// that it gives character by character.
func TestLinesAreCutAsCharactersAre(t *testing.T) {
	t.Parallel()
	all := func(from io.Reader) (got []string) {
		r := newCSVReader(from, ',', 8)
		r.charset = "gb18030"
		for {
			cells, err := r.read()
			if errors.Is(err, io.EOF) {
				return got
			}
			got = append(got, fmt.Sprint(r.at(), cells, err))
			if cells == nil {
				return got
			}
		}
	}
	for text, records := range map[string]int{
		"a\rb,c\nd\n": 3, "a\r\r\nb\n": 2, "1,123456789\n2\n": 1, "1,1234,5678\n2\n": 2, "a,\xff\nb\n": 2, "x,\uFFFD\ny\n": 2,
		"x\n\"a\",b\nc\n": 3, "=\"001\",2\n3\n": 2, "a,b\r\n\r\n\nc,\n,d": 3, "中,文\nb\n": 2,
	} {
		text, records = "first\n"+text, records+1 // the first line fills the buffer
		want := all(&slowly{strings.NewReader(text)})
		require.Len(t, want, records, "%q", text)
		require.Equal(t, want, all(strings.NewReader(text)), "%q", text)
	}
}
