package schema

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTablesThatKeepStates: by a column that is called so, by values that say what was done,
// two of them at least, or by more than one day.
func TestTablesThatKeepStates(t *testing.T) {
	t.Parallel()
	column := func(name string, values ...string) *Column {
		d := dim("jobs", name+" varchar", values...)
		return &Column{Dimension: &d}
	}
	day := func(name string) *Column {
		c := column(name)
		c.Time = true
		return c
	}
	for name, c := range map[string]struct {
		columns []*Column
		want    bool
	}{
		"nothing":                    {[]*Column{column("title"), column("town", "Leeds", "York")}, false},
		"a status":                   {[]*Column{column("job_status")}, true},
		"a word of it":               {[]*Column{column("status_text")}, false},
		"values that say it":         {[]*Column{column("result", "Finished", "Cancelled", "none")}, true},
		"one value that may say it":  {[]*Column{column("colour", "Striped", "blue")}, false},
		"short words":                {[]*Column{column("colour", "red", "bed")}, false},
		"values in Chinese":          {[]*Column{column("结果", "已完成", "未完成")}, true},
		"one of each of two columns": {[]*Column{column("a", "Finished"), column("b", "Cancelled")}, false},
		"one day":                    {[]*Column{day("begun")}, false},
		"two days":                   {[]*Column{day("begun"), day("ended")}, true},
	} {
		require.Equal(t, c.want, (&Table{Columns: c.columns}).KeepsStates(), name)
	}
}

// TestTablesThatPointToOne: those of which many rows belong to one of it, each once, without
// those that only put rows beside each other.
func TestTablesThatPointToOne(t *testing.T) {
	t.Parallel()
	l := trade()
	v := view(t, l)
	of := func(table string) (out []string) {
		for _, p := range v.Pointing(v.TableOf(table)) {
			out = append(out, p.Full())
		}
		return out
	}
	require.Equal(t, []string{"orders"}, of("customers"))
	require.Empty(t, of("orders"), "its lines only put products beside it")
	require.Empty(t, of("products"))
	l.Dimensions = append(l.Dimensions, dim("order_products", "quantity bigint"))
	v = view(t, l)
	require.Equal(t, []string{"order_products"}, of("orders"), "they say something of their own")
}
