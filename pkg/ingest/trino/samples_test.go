package trino

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestHowManyValuesOfAColumnAreKept: all of them up to the bound, and of more only the most
// frequent ones, whether statistics told beforehand or the values themselves did.
func TestHowManyValuesOfAColumnAreKept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ there, most, want int }{
		"fewer":             {59, 60, 59},
		"as many":           {60, 60, 60},
		"one more":          {61, 60, frequentValues},
		"more than so few":  {30, 20, 20},
		"as many as so few": {20, 20, 20},
	} {
		f := shop()
		var values [][]any
		for i := range c.there {
			values = append(values, []any{fmt.Sprint("town", i)})
		}
		f.rules = append([]rule{{words: []string{`SELECT "city"`}, rows: values}}, f.rules...)
		s, _ := readAll(t, f, nil, Options{Samples: true, MaxSamples: c.most})
		samples := table(t, s, "lake.mp.dwd_order").Columns[1].Samples
		require.Len(t, samples, c.want, name)
		require.Equal(t, "town0", samples[0], name)
	}
}

// TestValuesOfFixedLength: Trino fills values of char up with spaces, which are no part of
// what people ask for; those of varchar are as they are.
func TestValuesOfFixedLength(t *testing.T) {
	t.Parallel()
	for typ, want := range map[string][]string{"char(8)": {"Bern", "Rio"}, "varchar(8)": nil} {
		f := shop()
		f.rules = append([]rule{
			{words: []string{`"lake"."information_schema"."columns"`, "'mp'"}, rows: [][]any{{"dwd_order", "city", typ, "YES", nil, nil}}},
			{words: []string{`SELECT "city"`}, rows: [][]any{{"Bern    "}, {"Rio     "}}},
		}, f.rules...)
		s, _ := readAll(t, f, nil, Options{Samples: true})
		require.Equal(t, want, table(t, s, "lake.mp.dwd_order").Columns[0].Samples, "%s: texts with spaces at their ends are no names", typ)
	}
}

// TestWhatAViewReads: the tables that its text names whole, each once; names that the text
// itself makes are none of the server.
func TestWhatAViewReads(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"SELECT * FROM lake.mp.a": "View of lake.mp.a",
		"WITH x AS (SELECT 1 AS n FROM lake.mp.b) SELECT * FROM x, lake.mp.a, lake.mp.b": "View of lake.mp.b, lake.mp.a",
		"SELECT * FROM mp.a": "", "SELECT 1": "", "": "", "no query at all": "", "DROP TABLE lake.mp.a": "",
	} {
		require.Equal(t, want, viewText(text), text)
	}
}

// TestWhyNothingWasRead: the first three problems tell, and that there was no table where
// there are none.
func TestWhyNothingWasRead(t *testing.T) {
	t.Parallel()
	var report ingest.Report
	require.ErrorContains(t, nothing(report), "no table was found")
	for i := range 4 {
		report.Problems = append(report.Problems, ingest.Problem{Message: fmt.Sprint("reason ", i)})
	}
	err := nothing(report)
	require.Equal(t, "INGEST_NOTHING", fault.ReasonOf(err))
	require.ErrorContains(t, err, ": reason 0; reason 1; reason 2")
	require.NotContains(t, err.Error(), "reason 3")
}
