package correct_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/correct"
)

func snapshot() *catalog.Snapshot {
	name := func(table string) catalog.Name { return catalog.Name{Region: "club", Schema: "main", Table: table} }
	return &catalog.Snapshot{Tables: []catalog.Table{
		{Name: name("people"), RowCount: 100, Columns: []catalog.Column{
			{Name: "ID", Type: "bigint", PrimaryKey: true, Distinct: 100}, {Name: "nick", Type: "varchar", Distinct: 90, Samples: []string{"ace"}}, {Name: "town", Type: "varchar", Distinct: 5},
		}},
		{Name: name("games"), RowCount: 900, Columns: []catalog.Column{{Name: "winner", Type: "bigint", Distinct: 60}, {Name: "rank", Type: "bigint", Distinct: 9}, {Name: "director", Type: "varchar", Personal: &catalog.Personal{Kind: "name"}}},
			ForeignKeys: []catalog.ForeignKey{{Columns: []string{"rank"}, RefTable: name("people"), RefColumns: []string{"ID"}, Found: &catalog.Evidence{Reason: "names"}}}},
		{Name: name("lines"), RowCount: 50, Columns: []catalog.Column{{Name: "game", Type: "bigint", Distinct: 20}, {Name: "no", Type: "bigint", Distinct: 4}}},
	}}
}

func read(t *testing.T, text string) (*correct.Corrections, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "club.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return correct.Read(path)
}

func TestCorrectionsAreApplied(t *testing.T) {
	t.Parallel()
	c, err := read(t, `joins:
  - {from: games, columns: [Winner], to: main.people}
not_joins:
  - {from: games, columns: [rank], to: people}
keys:
  - {table: lines, columns: [game, no]}
personal:
  - {table: people, column: nick, kind: account}
not_personal:
  - {table: games, column: director}
`)
	require.NoError(t, err)
	require.Equal(t, 5, c.Count())
	s := snapshot()
	for i := range 3 { // copies, which share the lists of columns as those that were read from the disk do
		twin := s.Tables[i]
		twin.Name.Table += "_copy"
		s.Tables = append(s.Tables, twin)
	}
	require.Empty(t, c.Apply(s))
	for i, was := range snapshot().Tables {
		require.Equal(t, was.Columns, s.Tables[3+i].Columns, "what is said of a table is said of no copy of it")
	}
	games := s.Tables[1]
	require.Len(t, games.ForeignKeys, 1)
	require.Equal(t, []string{"winner"}, games.ForeignKeys[0].Columns)
	require.Equal(t, []string{"ID"}, games.ForeignKeys[0].RefColumns)
	require.Equal(t, &catalog.Evidence{Person: true, Reason: "a person says so in club.yaml:2"}, games.ForeignKeys[0].Found)
	for _, column := range games.Columns {
		require.Equal(t, column.Name == "rank", column.NotJoined, "a name proposes no join that was taken away: %s", column.Name)
	}
	require.Nil(t, games.Columns[2].Personal)
	require.True(t, c.Without(&games, "DIRECTOR"))
	require.Equal(t, []string{"game", "no"}, s.Tables[2].PrimaryKey())
	nick := s.Tables[0].Columns[1]
	require.Equal(t, "account", nick.Personal.Kind)
	require.Empty(t, nick.Samples, "its values are kept no longer")
}

// TestWhatIsNotThere: what cannot be applied is told with its line, and the rest is.
func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	c, err := read(t, `joins:
  - {from: games, columns: [winner], to: persons}
  - {from: games, columns: [champion], to: people}
  - {from: games, columns: [winner], to: people, to_columns: [town]}
  - {from: games, columns: [winner], to: people, to_columns: [ID, town]}
not_joins:
  - {from: games, columns: [winner], to: people}
keys:
  - {table: people, columns: [town]}
personal:
  - {table: people, column: town, kind: secretive}
`)
	require.NoError(t, err)
	s := snapshot()
	var told []string
	for _, p := range c.Apply(s) {
		told = append(told, filepath.Base(p.String()))
	}
	require.ElementsMatch(t, []string{
		`club.yaml:2: there is no table "persons"`,
		`club.yaml:3: club.main.games has no column "champion"`,
		`club.yaml:4: club.main.people has several rows for a value of town: a join to it would count rows twice. Turn it round, or join to the table whose key it is`,
		`club.yaml:5: 1 columns point to 2: name as many to_columns`,
		`club.yaml:9: club.main.people has several rows for a value of town: that is no key`,
		`club.yaml:11: kind "secretive" is not known: there are name, email, phone, address, birth_date, person_id, account, network, secret, other`,
	}, told)
	require.Equal(t, "other", s.Tables[0].Columns[2].Personal.Kind, "a mark of an unknown kind is a mark")
}

func TestMistakesOfTheFormNameTheLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"joins:\n  - {from: a, column: [x], to: b}\n": `line 2: "column" is not known here: there are from, columns, to, to_columns`,
		"join: []\n":                    "line 1: field join not found",
		"keys:\n  - orders\n":           "line 2: write {table: …, columns: …}",
		"keys:\n  - {table: [a]}\n":     "line 2",
		"joins:\n  - {from: a, to: b\n": "line",
	} {
		_, err := read(t, text)
		require.ErrorContains(t, err, want, text)
		require.ErrorContains(t, err, "club.yaml", text)
	}
	c, err := correct.Read(filepath.Join(t.TempDir(), "none.yaml"))
	require.NoError(t, err)
	require.Nil(t, c)
	require.Empty(t, c.Apply(snapshot()))
	empty, err := read(t, "")
	require.NoError(t, err)
	require.Zero(t, empty.Count())
}
