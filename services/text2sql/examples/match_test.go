package examples

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/services/text2sql/dates"
)

func newParser(t *testing.T) (*Parser, *dates.Reader) {
	t.Helper()
	p, err := NewParser()
	require.NoError(t, err)
	dr, err := dates.New()
	require.NoError(t, err)
	return p, dr
}

func TestMatches(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/matches.yaml")
	require.NoError(t, err)
	var file struct {
		Columns []struct {
			Name, Type string
			Samples    []string
		}
		Cases []struct {
			Name, Question, SQL string
			Asks                []struct {
				Ask, Want string
				Exact     bool
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(raw, &file))
	table := catalog.Table{Name: catalog.Name{Region: "sg", Schema: "s", Table: "museums"}}
	for _, c := range file.Columns {
		table.Columns = append(table.Columns, catalog.Column{Name: c.Name, Type: c.Type, Samples: c.Samples})
	}
	tables := []catalog.Table{table}
	scope := resolve.Scope{Catalog: catalog.NewIndex(&catalog.Snapshot{Tables: tables}, catalog.Defaults{Region: "sg", Schema: "s"}), DefaultRegion: "sg", DefaultSchema: "s"}
	p, dr := newParser(t)
	require.NotEmpty(t, file.Cases)
	for _, c := range file.Cases {
		require.NotEmpty(t, c.Asks, c.Name)
		prepared, err := p.Prepare(Example{Question: c.Question, SQL: c.SQL, Status: Approved}, dr)
		require.NoError(t, err, c.Name)
		for _, a := range c.Asks {
			t.Run(c.Name+": "+a.Ask, func(t *testing.T) {
				t.Parallel()
				got := ""
				found := Find(p.Parse(a.Ask), []*Prepared{prepared})
				if len(found) > 0 {
					require.Equal(t, a.Exact, found[0].Exact)
					got, _ = found[0].SQL(scope, tables)
				}
				require.Equal(t, printed(t, a.Want), printed(t, got))
			})
		}
	}
}

// printed writes a SQL in one way.
func printed(t *testing.T, sql string) string {
	t.Helper()
	if sql == "" {
		return ""
	}
	stmt, err := parser.Parse(sql)
	require.NoError(t, err)
	return strings.Join(strings.Fields(printer.Format(stmt)), " ")
}

func TestTheBestIsFirstAndTiesAreTold(t *testing.T) {
	t.Parallel()
	p, dr := newParser(t)
	var all []*Prepared
	for _, e := range []Example{
		{Question: "visitors of Porto", SQL: "SELECT 1 WHERE 'Porto' = 'x'"},
		{Question: "visitors of 5", SQL: "SELECT 5"},
		{Question: "visitors of 5", SQL: "SELECT 2"},
		{Question: "visitors of 7", SQL: "SELECT 7"},
	} {
		prepared, err := p.Prepare(e, dr)
		require.NoError(t, err)
		all = append(all, prepared)
	}
	found := Find(p.Parse("visitors of 7"), all)
	require.True(t, found[0].Exact)
	require.Equal(t, "SELECT 7", found[0].Example.SQL)
	require.False(t, Tied(found))
	require.True(t, Tied(Find(p.Parse("visitors of 5"), all)), "one question, two meanings")
}

func TestFrozenDaysAnswerNothing(t *testing.T) {
	t.Parallel()
	p, dr := newParser(t)
	for question, frozen := range map[string]bool{
		"visitors yesterday": true, "上个月的访客": true, "visitors on 2026-03-01": false, "visitors in March 2026": false,
	} {
		_, err := p.Prepare(Example{Question: question, SQL: "SELECT 1 FROM t WHERE d = DATE '2026-03-01'"}, dr)
		require.Equal(t, frozen, err != nil, question)
	}
	_, err := p.Prepare(Example{Question: "visitors yesterday", SQL: "SELECT 1 FROM t WHERE d = current_date - INTERVAL '1' DAY"}, dr)
	require.NoError(t, err)
}

func TestSaysNothingNew(t *testing.T) {
	t.Parallel()
	p, dr := newParser(t)
	for sql, says := range map[string]bool{
		"SELECT 1 FROM t WHERE city = 'Porto'":                           true,
		"SELECT 1 FROM t WHERE city = 'Porto' AND owner = 'Ms Smith'":    false,
		"SELECT 1 FROM t WHERE city = 'Porto' AND salary > 90000":        false,
		"SELECT 1 FROM t WHERE city = 'Porto' AND kind = 4 LIMIT 5":      true,
		"WITH x AS (SELECT 1 FROM t WHERE c = 'Lisbon') SELECT * FROM x": false,
	} {
		prepared, err := p.Prepare(Example{Question: "guests of Porto", SQL: sql}, dr)
		require.NoError(t, err)
		found := Find(p.Parse("guests of Porto"), []*Prepared{prepared})
		require.Equal(t, says, found[0].Says(), sql)
		require.Equal(t, []string{"t"}, found[0].TablesRead(), sql)
	}
}
