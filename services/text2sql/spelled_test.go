package text2sql

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// unreadable is an expression of which nobody can tell what it spells.
const unreadable = "age = ("

// spellings are expressions over the columns age and born, by whether they tell a value that
// is stored there. Each is a condition; a figure is made of it by count_if.
var spellings = map[string]bool{
	"age = 4711": true, "age <> 4711": true, "age < 4711": true, "age <= 4711": true, "age > 4711": true, "age >= 4711": true,
	"age IS DISTINCT FROM 4711": true, "age IS NOT DISTINCT FROM 4711": true, "4711 = age": true, "age = -4711": true, "age + 1 = 4712": true,
	"age BETWEEN 4711 AND 4712": true, "age NOT BETWEEN 4711 AND 4712": true, "age IN (4711, 4712)": true, "age NOT IN (4711, 4712)": true,
	"CASE age WHEN 4711 THEN true END": true, "contains(ARRAY[4711, 4712], age)": true, "NOT age = 4711": true, "age IS NOT NULL AND age = 4711": true,
	"abs(age) = 4711": true, "born = DATE '1999-12-31'": true, "born > TIMESTAMP '1999-12-31 00:00:00'": true, "guest = 'Maskwrit'": true, "guest LIKE 'Mask%'": true,
	"lower(guest) IN ('maskwrit')": true, "t.age = 4711": true, "coalesce(age, 4711) = age": true, "is_member = TRUE": true, "CAST(guest AS varbinary) = X'4D'": true,
	unreadable:    true,
	"age IS NULL": false, "age * 100 IS NOT NULL": false, "age = amount": false, "age > amount": false, "amount = 4711": false, "town = 'Openwrit'": false,
	"amount BETWEEN 1 AND 4711": false, "guest = town": false,
}

// TestWhatSpellsAValue: wherever people write an expression into a layer, it goes out of the
// layer of who may not read the column where it tells a value of it, and stays where it does
// not, or where the column may be read.
func TestWhatSpellsAValue(t *testing.T) {
	t.Parallel()
	column := func(name, kind string) catalog.Column { return catalog.Column{Name: name, Type: kind} }
	tables := []catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "main", Table: "booking"}, Columns: []catalog.Column{
		column("age", "bigint"), column("born", "date"), column("guest", "varchar"), column("is_member", "boolean"), column("amount", "bigint"), column("town", "varchar")}}}
	file := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(file, []byte("rules:\n  - {user: boss}\n  - {table: booking, columns: [{name: age, mask: \"0\"}, {name: born, access: deny}, {name: guest, mask: \"'-'\"}, {name: is_member, mask: \"false\"}]}\n"), 0o600))
	rules, err := policy.Open(file, time.Now, nil)
	require.NoError(t, err)
	current, err := rules.Current()
	require.NoError(t, err)
	as := func(who string) *secrets {
		return &secrets{grants: current.For(run.Principal{ID: who}, "hotel"), tables: tables}
	}
	const of = "main.booking"
	fine := semantic.Metric{ID: "fine", Table: of, Expr: "sum(amount)"}
	for expr, tells := range spellings {
		layers := map[string]*semantic.Layer{
			"a filter":         {Filters: []semantic.Filter{{ID: "x", Table: of, Expr: expr}}},
			"an exclusion":     {Exclusions: []semantic.Filter{{ID: "x", Table: of, Expr: expr}}},
			"a figure":         {Metrics: []semantic.Metric{{ID: "x", Table: of, Expr: "count_if(" + expr + ")"}}},
			"a figure's rows":  {Metrics: []semantic.Metric{{ID: "x", Table: of, Expr: "sum(amount)", DefaultFilters: []string{"amount > 0", expr}}}},
			"part of a figure": {Metrics: []semantic.Metric{{ID: "x", Type: semantic.Ratio, Numerator: "fine", Denominator: "part"}, fine, {ID: "part", Table: of, Expr: "count_if(" + expr + ")"}}},
		}
		for where, layer := range layers {
			whole := *layer
			if expr != unreadable {
				require.Nil(t, as("boss").without(layer), "%s: %s", where, expr)
			}
			got := as("ann").without(layer)
			require.Equal(t, whole, *layer, "the layer of others stays as it is")
			if !tells {
				require.Nil(t, got, "%s: %s tells nothing", where, expr)
				continue
			}
			require.NotNil(t, got, "%s: %s", where, expr)
			require.Empty(t, got.Filters, expr)
			require.Empty(t, got.Exclusions, expr)
			for _, m := range got.Metrics {
				require.Equal(t, "fine", m.ID, "%s: %s", where, expr)
			}
			require.Equal(t, where == "part of a figure", len(got.Metrics) == 1)
		}
	}
}

// TestDimensionsOverWithheldColumns: one over a column that is denied is gone; one over a
// column that is masked stays without its values; one that spells a value is gone.
func TestDimensionsOverWithheldColumns(t *testing.T) {
	t.Parallel()
	column := func(name, kind string) catalog.Column { return catalog.Column{Name: name, Type: kind} }
	tables := []catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "main", Table: "booking"}, Columns: []catalog.Column{column("guest", "varchar"), column("remark", "varchar"), column("town", "varchar")}}}
	file := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(file, []byte("rules:\n  - {table: booking, columns: [{name: guest, mask: \"'-'\"}, {name: remark, access: deny}]}\n"), 0o600))
	rules, err := policy.Open(file, time.Now, nil)
	require.NoError(t, err)
	current, err := rules.Current()
	require.NoError(t, err)
	values := []semantic.Value{{Value: "Maskwrit"}}
	layer := &semantic.Layer{Dimensions: []semantic.Dimension{
		{ID: "guest", Table: "main.booking", Expr: "guest", Values: values, Complete: true},
		{ID: "plain", Table: "main.booking", Expr: "guest"},
		{ID: "initial", Table: "main.booking", Expr: "substr(guest, 1, 1)", Values: values, Complete: true},
		{ID: "remark", Table: "main.booking", Expr: "remark", Values: values},
		{ID: "both", Table: "main.booking", Expr: "concat(town, remark)"},
		{ID: "sort", Table: "main.booking", Expr: "CASE WHEN guest = 'Maskwrit' THEN 1 ELSE 0 END"},
		{ID: "town", Table: "main.booking", Expr: "town", Values: values, Complete: true},
		{ID: "away", Table: "main.payroll", Expr: "person", Values: values},
	}}
	s := &secrets{grants: current.For(run.Principal{ID: "ann"}, "hotel"), tables: tables}
	got := s.without(layer)
	require.NotNil(t, got)
	kept := map[string]bool{}
	for _, d := range got.Dimensions {
		kept[d.ID] = len(d.Values) > 0
		require.Equal(t, len(d.Values) > 0, d.Complete, d.ID)
	}
	require.Equal(t, map[string]bool{"guest": false, "plain": false, "initial": false, "town": true}, kept)
	require.Len(t, layer.Dimensions, 8)
	require.Equal(t, values, layer.Dimensions[0].Values, "the layer of others stays as it is")
}
