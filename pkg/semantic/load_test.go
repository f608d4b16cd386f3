package semantic

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoadReadsTheExample(t *testing.T) {
	t.Parallel()
	layer, err := Load("testdata/shop")
	require.NoError(t, err)
	require.Len(t, layer.Metrics, 2)
	gmv := layer.Metrics[0]
	require.Equal(t, "gmv", gmv.ID)
	require.Equal(t, "Order", gmv.Mart)
	require.Equal(t, "成交总额", gmv.Names.ZH)
	require.Equal(t, []string{"tz_type = 'local'"}, gmv.DefaultFilters)
	require.True(t, layer.Joins[0].Declared)
	require.Equal(t, Country{Code: "SG", CID: "sg", Names: Text{EN: "Singapore", ZH: "新加坡"}, Synonyms: []string{"SGP"}}, layer.Countries[0])
}

func TestLoadNamesFileAndLineOfEachMistake(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, text string
		line       int
		message    string
	}{
		{"unknown key", "metrics:\n  - id: a\n    nmaes: {en: A}\n", 3, "nmaes"},
		{"wrong type", "metrics:\n  - id: a\n    default_filters: 7\n", 3, "cannot unmarshal"},
		{"not YAML", "metrics:\n  - id: [a\n", 0, ""},
		{"bad id", "metrics:\n  - id: A-b\n    names: {en: A}\n    table: s.t\n    expr: SUM(x)\n", 2, "lower-case"},
		{"no name", "metrics:\n  - id: a\n    table: s.t\n    expr: SUM(x)\n", 2, "needs a name"},
		{"no expression", "metrics:\n  - id: a\n    names: {en: A}\n    table: s.t\n", 2, "needs an expression"},
		{"duplicate id", "metrics:\n  - {id: a, names: {en: A}, table: s.t, expr: SUM(x)}\n  - {id: a, names: {en: B}, table: s.t, expr: SUM(y)}\n", 3, "used at x.yaml:2"},
		{"additivity", "metrics:\n  - id: a\n    names: {en: A}\n    table: s.t\n    expr: SUM(x)\n    additivity: yes\n", 6, "additivity"},
		{"role", "dimensions:\n  - id: a\n    names: {en: A}\n    table: s.t\n    role: colour\n", 5, "role"},
		{"hierarchy", "dimensions:\n  - {id: a, names: {en: A}, table: s.t, hierarchy: [b]}\n", 2, `dimension "b"`},
		{"join columns", "joins:\n  - {from: a.b, to: c.d, columns: [x]}\n", 2, "as many columns"},
		{"cid without countries", "metrics:\n  - {id: a, names: {en: A}, table: \"s.t__{cid}\", expr: SUM(x)}\n", 2, "countries"},
		{"expression", "metrics:\n  - {id: a, names: {en: A}, table: s.t, expr: \"SUM(x\"}\n", 2, "expression"},
		{"two expressions", "metrics:\n  - {id: a, names: {en: A}, table: s.t, expr: \"SUM(x), 1\"}\n", 2, "exactly one"},
		{"a query", "filters:\n  - {id: a, names: {en: A}, table: s.t, expr: \"1 FROM u\"}\n", 2, "exactly one"},
		{"table form", "metrics:\n  - {id: a, names: {en: A}, table: \"s t\", expr: SUM(x)}\n", 2, "schema.table"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "x.yaml"), []byte(c.text), 0o600))
			_, err := Load(dir)
			var problems Problems
			require.True(t, errors.As(err, &problems), "%v", err)
			require.Equal(t, "x.yaml", problems[0].File)
			if c.line > 0 {
				require.Equal(t, c.line, problems[0].Line, "%v", problems)
			}
			require.Contains(t, problems.Error(), c.message)
		})
	}
}

func TestLoadRefusesHugeFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.yaml"), []byte("# "+strings.Repeat("x", MaxFileBytes)), 0o600))
	_, err := Load(dir)
	require.ErrorContains(t, err, "split it by mart")
}

func TestLoadOfAnEmptyFolderIsEmpty(t *testing.T) {
	t.Parallel()
	layer, err := Load(t.TempDir())
	require.NoError(t, err)
	require.Empty(t, layer.Metrics)
}
