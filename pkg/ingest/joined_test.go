package ingest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestDescribedLineage: what a table is described to be made from is told by the names that
// the tables have, without what is not there, and not where the data say it themselves.
func TestDescribedLineage(t *testing.T) {
	t.Parallel()
	name := func(region, schema, table string) catalog.Name {
		return catalog.Name{Region: region, Schema: schema, Table: table}
	}
	raw, daily, own := catalog.Table{Name: name("own", "main", "raw")}, catalog.Table{Name: name("own", "main", "daily")}, catalog.Table{Name: name("own", "main", "other"), Upstream: []catalog.Name{name("own", "main", "daily")}}
	described := []catalog.Table{
		{Name: name("hive", "erp", "raw")}, {Name: name("hive", "mart", "gone")},
		{Name: name("hive", "mart", "daily"), Upstream: []catalog.Name{name("hive", "erp", "raw"), name("hive", "mart", "gone"), name("hive", "mart", "nobody")}},
		{Name: name("hive", "mart", "other"), Upstream: []catalog.Name{name("hive", "erp", "raw")}},
	}
	ingest.Join([]*catalog.Table{&raw, &daily, &own}, described).Describe()
	require.Equal(t, []catalog.Name{raw.Name}, daily.Upstream)
	require.Equal(t, []catalog.Name{daily.Name}, own.Upstream)
}

// TestDescribedValues: values that a description says a column has are shown where the data
// gave none, and never of a column that holds data of persons.
func TestDescribedValues(t *testing.T) {
	t.Parallel()
	said := []string{"ann@example.org", "bob@example.org"}
	for name, c := range map[string]struct {
		column catalog.Column
		want   []string
	}{
		"no values":             {catalog.Column{Name: "x"}, said},
		"another spelling":      {catalog.Column{Name: "X"}, said},
		"values of its own":     {catalog.Column{Name: "x", Samples: []string{"own"}}, []string{"own"}},
		"of persons":            {catalog.Column{Name: "x", Personal: &catalog.Personal{Kind: "email"}}, nil},
		"a column of that name": {catalog.Column{Name: "y"}, nil},
	} {
		table := &catalog.Table{Name: catalog.Name{Region: "own", Schema: "main", Table: "t"}, Columns: []catalog.Column{c.column}}
		described := []catalog.Table{{Name: catalog.Name{Schema: "main", Table: "T"}, Columns: []catalog.Column{{Name: "x", Samples: said}}}}
		denied, err := ingest.Join([]*catalog.Table{table}, described).Declare(nil)
		require.NoError(t, err)
		require.Empty(t, denied)
		require.Equal(t, c.want, table.Columns[0].Samples, name)
	}
}

// TestDescribedValuesOfPersons: the same through a whole ingest, where the columns' names and
// values tell that they hold data of persons.
func TestDescribedValuesOfPersons(t *testing.T) {
	t.Parallel()
	described := []catalog.Table{{Name: catalog.Name{Table: "t"}, Columns: []catalog.Column{
		{Name: "email", Samples: []string{"said@example.org"}}, {Name: "contact", Samples: []string{"said@example.org"}}, {Name: "nickname", Samples: []string{"saidso"}}, {Name: "remark", Samples: []string{"said"}},
	}}}
	s := newStore(t)
	text := "id,email,contact,nickname,remark\n"
	for i := range 30 {
		text += fmt.Sprintf("%d,a%d@example.org,b%d@example.org,bo%d,\n", i, i, i, i)
	}
	_, err := ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{"t.csv": text}), ingest.Options{Described: described, Personal: []string{"nickname"}})
	require.NoError(t, err)
	got := tables(t, s)["t"]
	for _, name := range []string{"email", "contact", "nickname"} {
		c, ok := got.Column(name)
		require.True(t, ok)
		require.NotNil(t, c.Personal, name)
		for _, sample := range c.Samples {
			require.NotContains(t, sample, "said", name)
		}
	}
	c, _ := got.Column("remark")
	require.Equal(t, []string{"said"}, c.Samples)
}
