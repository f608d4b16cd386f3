package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
)

// Columns on which others depend are found: where each film of weekly takings has one rating, also with
// rows that have none. Not where one film has two, where hardly a value comes again, and not what all
// rows have.
func TestWhatDependsOnWhat(t *testing.T) {
	t.Parallel()
	var takings, notes strings.Builder
	takings.WriteString("film,rating,studio,town,land,week,taken\n")
	notes.WriteString("writer,pen\n")
	for i := range 400 {
		film := i % 20
		rating := fmt.Sprint(film / 3)
		if i == 25 {
			rating = ""
		}
		fmt.Fprintf(&takings, "film %d,%s,studio %d,town %d,here,%d,%d\n", film, rating, film%4, (film+i/390)%5, i/20, i*37%391)
	}
	for i := range 21 {
		fmt.Fprintf(&notes, "writer %d,pen %d\n", i/2, i/4)
	}
	s := newStore(t)
	_, err := ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{"takings.csv": takings.String(), "notes.csv": notes.String()}), ingest.Options{})
	require.NoError(t, err)
	all := tables(t, s)
	require.Equal(t, []catalog.Dependency{{Column: "film", Determines: []string{"rating", "studio"}}}, all["takings"].Dependencies)
	require.Empty(t, all["notes"].Dependencies, "ten rows beside the first of each are chance")
}
