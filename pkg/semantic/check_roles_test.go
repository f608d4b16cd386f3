package semantic

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const rolesFile = `joins:
  - {from: s.matches, columns: [home_id], to: s.teams, to_columns: [id], role: home, names: {en: home team}}
  - {from: s.matches, columns: [away_id], to: s.teams, to_columns: [id], role: away, names: {en: away team}}
  - {from: s.teams, columns: [town_id], to: s.towns, to_columns: [id]}
dimensions:
  - {id: host_town, names: {en: town of the hosts}, table: s.towns, expr: name, via: home}
dates:
  - {id: played, names: {en: match date}, table: s.matches, expr: played_on}
`

func checkText(t *testing.T, text string) (*Layer, string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "l.yaml"), []byte(text), 0o600))
	layer, problems := Check(dir, nil)
	if len(problems) == 0 {
		return layer, ""
	}
	return layer, problems.Error()
}

// TestCheckOfRolesAndDates says what is wrong with roles and dates, and where.
func TestCheckOfRolesAndDates(t *testing.T) {
	t.Parallel()
	layer, problems := checkText(t, rolesFile)
	require.Empty(t, problems)
	path, ok := layer.Path("s.matches", "s.towns", "home")
	require.True(t, ok)
	require.Equal(t, []string{"home_id"}, path[0].Columns)
	_, ok = layer.Path("s.matches", "s.teams", "")
	require.False(t, ok, "which team is meant is not said")
	join := "joins:\n  - {from: s.a, columns: [x], to: s.b, to_columns: [id]"
	for text, want := range map[string]string{
		join + ", role: home}\n":                                               `l.yaml:2: role "home" needs a name: names: {en: ..., zh: ...}`,
		join + ", role: Home, names: {en: home}}\n":                            `l.yaml:2: role "Home": lower-case letters, digits and _, a letter first`,
		join + ", names: {en: home}}\n":                                        "l.yaml:2: the names of a join are those of its role: give it one, role: home",
		join + ", cardinality: many_to_many, role: home, names: {en: home}}\n": `l.yaml:2: role "home" is of a join that finds many rows: a role is that of one row`,
		join + ", role: home, names: {en: home}}\n  - {from: s.a, columns: [y], to: s.b, to_columns: [id], role: home}\n": `l.yaml:3: role "home" was given to another join of this table at l.yaml:2`,
		join + "}\n  - {from: s.a, columns: [y], to: s.b, to_columns: [id]}\n":                                            "l.yaml:3: several joins lead from s.a to s.b: give each of them a role, or questions over them are refused",
		join + "}\ndimensions:\n  - {id: d, names: {en: d}, table: s.b, via: guest}\n":                                    `l.yaml:4: via "guest" is neither a table nor the role of a join: write role: guest at the join that is meant`,
		join + ", role: home, names: {en: home}}\ndimensions:\n  - {id: d, names: {en: d}, table: s.c, via: home}\n":      "l.yaml:4: the role home leads to s.b, and no joins from there to s.c, each to one row, in one way only",
		"dates:\n  - {id: paid, names: {en: payment date}, table: s.a, grain: fortnight}\n":                               `l.yaml:2: grain "fortnight": none, hour, day, week or month`,
		"dates:\n  - {id: paid, table: s.a, expr: max(paid_on)}\n":                                                        "l.yaml:2: \"paid\" needs a name: names: {en: ..., zh: ...}\nl.yaml:2: expression \"max(paid_on)\" aggregates: it is over one row",
	} {
		_, got := checkText(t, text)
		require.Equal(t, want, got, text)
	}
}
