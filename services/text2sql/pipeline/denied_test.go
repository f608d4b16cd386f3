package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
)

// TestWhatStatementsLeaveOut: what denies, puts in order, takes one row of many, and takes none
// for what is not known.
func TestWhatStatementsLeaveOut(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	s := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "t"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "id", Type: "bigint", PrimaryKey: true, Distinct: 900}, {Name: "giver", Type: "varchar", Distinct: 40}, {Name: "children", Type: "bigint", Distinct: 7},
		{Name: "damage", Type: "varchar", Distinct: 3, Samples: []string{"None", "Minor", "Major"}}, {Name: "late", Type: "varchar", Distinct: 2, Samples: []string{"yes", "no"}},
		{Name: "speed", Type: "double", Unit: "km/h", Distinct: 300}, {Name: "paid", Type: "double", Unit: "EUR", Distinct: 300},
	}}}, nil)
	for sql, want := range map[string]struct{ denies, order, first, none bool }{
		"SELECT count(*) FROM t WHERE id IS NOT NULL":                           {},
		"SELECT count(*) FROM t WHERE giver IS NULL":                            {denies: true},
		"SELECT count(*) FROM t WHERE id NOT IN (1, 2)":                         {denies: true},
		"SELECT count(*) FROM t WHERE id IN (1, 2)":                             {},
		"SELECT count(*) FROM t WHERE giver NOT LIKE 'A%'":                      {denies: true},
		"SELECT count(*) FROM t WHERE id NOT BETWEEN 1 AND 2":                   {denies: true},
		"SELECT count(*) FROM t WHERE id IN (SELECT id FROM t)":                 {},
		"SELECT count(*) FROM t WHERE id NOT IN (SELECT id FROM t)":             {denies: true},
		"SELECT count(*) FROM t WHERE damage = 'None'":                          {denies: true},
		"SELECT count(*) FROM t WHERE late = 'no'":                              {denies: true},
		"SELECT count(*) FROM t WHERE late = 'yes'":                             {},
		"SELECT count(*) FROM t WHERE children IS NULL":                         {denies: true, none: true},
		"SELECT count(*) FROM t WHERE children IS NULL OR children = 0":         {denies: true},
		"SELECT count(*) FROM t WHERE children IS NOT NULL":                     {none: true},
		"SELECT count(*) FROM t WHERE paid IS NOT NULL":                         {}, // how many fees there were
		"SELECT count(*) FROM t WHERE paid IS NULL":                             {denies: true, none: true},
		"SELECT count(*) FROM t WHERE speed IS NULL":                            {denies: true}, // a speed of 0 is one
		"SELECT giver, paid FROM t ORDER BY paid DESC LIMIT 1":                  {order: true, first: true},
		"SELECT id, paid FROM t ORDER BY paid DESC LIMIT 1":                     {order: true},
		"SELECT giver, sum(paid) FROM t GROUP BY giver ORDER BY 2 DESC LIMIT 1": {order: true},
		"SELECT DISTINCT giver FROM t LIMIT 5":                                  {},
		"SELECT max(paid) FROM t":                                               {order: true},
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err, sql)
		require.Equal(t, want.denies, denies(stmt) || s.saysNo(stmt), "denies: %s", sql)
		require.Equal(t, want.order, inOrder(stmt), "order: %s", sql)
		require.Equal(t, want.first, s.firstRow(stmt), "first row: %s", sql)
		require.Equal(t, want.none, s.noneAsNull(stmt) != nil, "none: %s", sql)
	}
}
