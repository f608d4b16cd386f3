package signature_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/resolve/signature"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

func choose(candidates []*signature.Signature, args ...string) (signature.Call, signature.Outcome) {
	given := make([]signature.Arg, len(args))
	for i, a := range args {
		given[i].Type = types.Parse(a)
	}
	return signature.Choose(candidates, given)
}

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args []string
		want string // type of the result
	}{
		{"abs", []string{"integer"}, "integer"},
		{"abs", []string{"decimal(5,2)"}, "decimal(5,2)"},
		{"round", []string{"decimal(5,2)"}, "decimal(4,0)"},
		{"round", []string{"decimal(38,2)", "tinyint"}, "decimal(38,2)"},
		{"power", []string{"integer", "decimal(3,1)"}, "double"},
		{"concat", []string{"varchar(1)", "varchar(2)", "varchar(3)"}, "varchar"},
		{"concat", []string{"char(2)", "char(3)"}, "char(5)"},
		{"concat", []string{"array(integer)", "bigint"}, "array(bigint)"},
		{"greatest", []string{"integer", "decimal(3,1)", "double"}, "double"},
		{"map", []string{"array(varchar(1))", "array(integer)"}, "map(varchar(1), integer)"},
		{"max_by", []string{"varchar(3)", "date", "integer"}, "array(varchar(3))"},
		{"date_add", []string{"varchar(3)", "integer", "timestamp(6)"}, "timestamp(6)"},
		{"to_unixtime", []string{"date"}, "double"},
		{"sum", []string{"unknown"}, ""},
		{"mod", []string{"decimal(5,2)", "decimal(4,1)"}, "decimal(5,2)"},
		{"bing_tile_coordinates", []string{"bingtile"}, "row(x integer, y integer)"},
	} {
		call, outcome := choose(signature.Functions(c.name), c.args...)
		if c.want == "" {
			require.Equal(t, signature.Ambiguous, outcome, "%s %v", c.name, c.args)
			continue
		}
		require.Equal(t, signature.Chosen, outcome, "%s %v", c.name, c.args)
		require.Equal(t, c.want, call.Result.String(), "%s %v", c.name, c.args)
		require.Len(t, call.Args, len(c.args))
	}
	for name, args := range map[string][]string{
		"upper": {"integer"}, "sum": {"date"}, "greatest": {"integer", "varchar"}, "array_sort": {"array(json)"}, "map_agg": {"hyperloglog", "integer"},
		"concat_ws": {}, "now": {"integer"}, "element_at": {"map(varchar, integer)", "date"},
	} {
		_, outcome := choose(signature.Functions(name), args...)
		require.Equal(t, signature.None, outcome, "%s %v", name, args)
	}
}

func TestOperators(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ op, left, right, want string }{
		{"+", "date", "interval day to second", "date"},
		{"+", "interval day to second", "timestamp(0)", "timestamp(3)"},
		{"-", "date", "date", "interval day to second"},
		{"-", "date", "unknown", "date"},
		{"*", "decimal(5,2)", "integer", "decimal(15,2)"},
		{"/", "decimal(5,2)", "decimal(4,3)", "decimal(9,3)"},
		{"%", "decimal(5,2)", "tinyint", "decimal(5,2)"},
		{"*", "interval year to month", "integer", "interval year to month"},
		{"[]", "map(varchar, date)", "varchar(3)", "date"},
		{"+", "date", "integer", ""},
		{"+", "varchar", "integer", ""},
		{"/", "integer", "interval day to second", ""},
	} {
		call, outcome := choose(signature.Operator(c.op), c.left, c.right)
		require.Equal(t, c.want != "", outcome == signature.Chosen, "%s %s %s", c.left, c.op, c.right)
		require.Equal(t, c.want, call.Result.String(), "%s %s %s", c.left, c.op, c.right)
	}
}

// TestLambda asks that a lambda's result says what a variable stands for, and that
// the lambda is asked with the types of its parameters.
func TestLambda(t *testing.T) {
	t.Parallel()
	var asked []types.Type
	args := []signature.Arg{{Type: types.Parse("array(integer)")}, {Lambda: func(params []types.Type) (types.Type, bool) {
		asked = params
		return types.Double(), len(params) == 1
	}}}
	call, outcome := signature.Choose(signature.Functions("transform"), args)
	require.Equal(t, signature.Chosen, outcome)
	require.Equal(t, "array(double)", call.Result.String())
	require.Equal(t, []types.Type{types.Integer()}, asked)
	require.Equal(t, "function(integer, double)", call.Args[1].String())
}

// TestUnknown asks that no mistake follows from what is not known.
func TestUnknown(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"upper", "sum", "date_trunc", "greatest", "map"} {
		_, outcome := signature.Choose(signature.Functions(name), []signature.Arg{{}, {}}[:min(2, 1+len(name)%2)])
		require.NotEqual(t, signature.Ambiguous, outcome, name)
	}
	_, outcome := signature.Choose(signature.Functions("year"), []signature.Arg{{}})
	require.Equal(t, signature.Chosen, outcome, "all of them give a bigint")
}
