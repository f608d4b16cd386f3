package link_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

func TestChineseWordsMeetEnglishNames(t *testing.T) {
	t.Parallel()
	lex, err := lexicon.Load()
	require.NoError(t, err)
	index := link.NewIndex(semantic.Derive([]catalog.Table{{Name: catalog.Name{Table: "ships"}, RowCount: 40, Columns: []catalog.Column{
		{Name: "ship_id", Type: "integer", PrimaryKey: true, Distinct: 40},
		{Name: "ship_name", Type: "varchar", Distinct: 40},
		{Name: "home_country", Type: "varchar", Distinct: 3, Samples: []string{"France", "Norway", "Peru"}},
		{Name: "mean_speed", Type: "double"}, {Name: "built_year", Type: "integer"},
		{Name: "date_of_birth", Type: "date"},
	}}}), lex)
	cases := []struct {
		question string
		column   string // of the best column of any item
		value    string // stored, of any item
		table    string
		unknown  bool // nothing but unknown items
	}{
		{question: "船", table: "ships"},
		{question: "船只", table: "ships"},
		{question: "船名", column: "ship_name"},
		{question: "平均速度", column: "mean_speed"},
		{question: "出生日期", column: "date_of_birth"},
		{question: "法国", value: "France"},
		{question: "“法国”", value: "France"},
		{question: "“乌有之乡”", unknown: true},
	}
	for _, c := range cases {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			var column, value, table string
			unknown := true
			for _, it := range index.Cover(index.Gloss(token.Split(c.question, lex.Chinese().Dictionary()))) {
				unknown = unknown && it.Unknown()
				if len(it.Columns) > 0 {
					column = it.Columns[0].Dim.Expr
				}
				if len(it.Values) > 0 {
					value = it.Values[0].Value
				}
				if len(it.Tables) > 0 {
					table = it.Tables[0].Entity.Table
				}
			}
			require.Equal(t, c.unknown, unknown)
			require.Equal(t, c.value, value)
			if c.column != "" {
				require.Equal(t, c.column, column)
			}
			if c.table != "" {
				require.Equal(t, c.table, table)
			}
		})
	}
}

// TestAStoredChineseValueIsNotReadAgainInEnglish holds that a column which stores
// the word as it was asked is not asked for the word's English as well.
func TestAStoredChineseValueIsNotReadAgainInEnglish(t *testing.T) {
	t.Parallel()
	lex, err := lexicon.Load()
	require.NoError(t, err)
	index := link.NewIndex(semantic.Derive([]catalog.Table{{Name: catalog.Name{Table: "ships"}, RowCount: 40, Columns: []catalog.Column{
		{Name: "ship_id", Type: "integer", PrimaryKey: true, Distinct: 40},
		{Name: "flag", Type: "varchar", Distinct: 3, Samples: []string{"法国", "France", "Norway"}},
		{Name: "harbour_country", Type: "varchar", Distinct: 2, Samples: []string{"France", "Peru"}},
	}}}), lex)
	got := map[string][]string{}
	for _, it := range index.Cover(index.Gloss(token.Split("法国", lex.Chinese().Dictionary()))) {
		for _, v := range it.Values {
			got[v.Dim.Expr] = append(got[v.Dim.Expr], v.Value)
		}
	}
	require.Equal(t, map[string][]string{"flag": {"法国"}, "harbour_country": {"France"}}, got)
}

// TestAWordOfADescriptionNamesItsColumn holds that a word which stands in no name
// names the column whose description has it.
func TestAWordOfADescriptionNamesItsColumn(t *testing.T) {
	t.Parallel()
	lex, err := lexicon.Load()
	require.NoError(t, err)
	index := link.NewIndex(semantic.Derive([]catalog.Table{{Name: catalog.Name{Table: "parcels"}, RowCount: 40, Columns: []catalog.Column{
		{Name: "parcel_id", Type: "integer", PrimaryKey: true, Distinct: 40},
		{Name: "wgt", Type: "double", Comment: "heaviness on the scale"},
		{Name: "c1", Type: "double", Comment: "insured sum of the harbour"},
	}}}), lex)
	for word, want := range map[string][]string{"heaviness": {"wgt"}, "insured": {"c1"}} {
		var got []string
		for _, it := range index.Cover(token.Split(word, nil)) {
			for _, c := range it.Columns {
				got = append(got, c.Dim.Expr)
			}
		}
		require.Equal(t, want, got, word)
	}
}
