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

func TestNamesWithOtherSpaces(t *testing.T) {
	t.Parallel()
	lex, err := lexicon.Load()
	require.NoError(t, err)
	index := link.NewIndex(semantic.Derive([]catalog.Table{
		{Name: catalog.Name{Table: "ferryline"}, RowCount: 40, Columns: []catalog.Column{
			{Name: "ferry_line_id", Type: "integer", PrimaryKey: true, Distinct: 40},
			{Name: "harbourmaster", Type: "varchar"}, {Name: "ticket_price", Type: "double"}, {Name: "ticketclass", Type: "varchar"},
			{Name: "post box", Type: "varchar"}, {Name: "acct_bal_amt", Type: "double"},
		}},
		{Name: catalog.Name{Table: "harbour"}, Columns: []catalog.Column{{Name: "master_name", Type: "varchar"}, {Name: "class", Type: "varchar"}}},
	}), lex)
	cases := []struct{ question, table, column string }{
		{question: "ferry lines", table: "ferryline"},
		{question: "harbour master", column: "harbourmaster"},
		{question: "harbour masters", column: "harbourmaster"},
		{question: "ticket class", column: "ticketclass"},
		{question: "ticketprice", column: "ticket_price"},
		{question: "postbox", column: "post box"},
		{question: "account balance amount", column: "acct_bal_amt"},
	}
	for _, c := range cases {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			items := index.Cover(token.Split(c.question, nil))
			require.Len(t, items, 1)
			if c.table != "" {
				require.NotEmpty(t, items[0].Tables)
				require.Equal(t, c.table, items[0].Tables[0].Entity.Table)
			}
			if c.column != "" {
				require.NotEmpty(t, items[0].Columns)
				require.Equal(t, c.column, items[0].Columns[0].Dim.Expr)
			}
		})
	}
}
