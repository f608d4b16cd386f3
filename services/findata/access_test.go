package findata

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
)

// linked is a catalog whose tables speak of each other: by keys, by use, by a successor
// and by words.
func linked() *catalog.Snapshot {
	name := func(t string) catalog.Name { return catalog.Name{Region: "yard", Schema: "main", Table: t} }
	columns := func(names ...string) (out []catalog.Column) {
		for _, n := range names {
			out = append(out, catalog.Column{Name: n, Type: "bigint", Comment: "see crane_code and tug_code"})
		}
		return out
	}
	key := func(column, to, of string) catalog.ForeignKey {
		return catalog.ForeignKey{Columns: []string{column}, RefTable: name(to), RefColumns: []string{of}}
	}
	join := func(column, to, of string) catalog.Join {
		return catalog.Join{Table: name(to), Columns: []string{column}, RefColumns: []string{of}, Queries: 9}
	}
	return &catalog.Snapshot{
		Marts:    []catalog.Mart{{Name: "Quay"}, {Name: "Vault"}},
		Glossary: []catalog.Term{{Term: "berth", Mart: "Quay", Definition: "a place, by crane_code"}, {Term: "ingot", Mart: "Vault"}, {Term: "tide"}},
		Rules:    []catalog.Rule{{ID: "quay", Mart: "Quay", Text: "by tug_code"}, {ID: "vault", Mart: "Vault", Text: "x"}, {ID: "all", Text: "x"}},
		Tables: []catalog.Table{
			{
				Name: name("ship"), Mart: "Quay", RowCount: 10, QueryCount30d: 5, Columns: columns("ship_id", "crane_id", "tug_id", "gold_id"), Successor: "yard.main.gold", Upstream: []catalog.Name{name("tug"), name("gold")},
				ForeignKeys: []catalog.ForeignKey{key("crane_id", "crane", "crane_code"), key("tug_id", "tug", "tug_code"), key("gold_id", "gold", "gold_id")},
				Usage: &catalog.Usage{
					Joins:   []catalog.Join{join("crane_id", "crane", "crane_code"), join("tug_id", "tug", "tug_code"), join("gold_id", "gold", "gold_id"), join("gone_id", "tug", "tug_code")},
					Columns: []catalog.ColumnUse{{Column: "ship_id"}, {Column: "gone_id"}},
				},
				Description: "ships with crane_code and tug_code of gold_bars",
			},
			{Name: name("crane"), Mart: "Quay", RowCount: 10, Columns: columns("crane_code", "height")},
			{Name: name("tug"), Mart: "Quay", RowCount: 10, Columns: columns("tug_code", "power")},
			{Name: name("gold"), Mart: "Vault", RowCount: 10, Columns: columns("gold_id")},
			{Name: name("gold_bars"), Mart: "Vault", RowCount: 10, Columns: columns("gold_id")},
		},
	}
}

// TestTablesSpeakOfNothingHidden: keys, joins, successors, texts and business words of
// what an asker sees lead to no table and no column that they may not see, and to all
// others.
func TestTablesSpeakOfNothingHidden(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`
rules:
  - {name: boss, user: boss}
  - {name: gold, table: gold, access: deny}
  - {name: bars, table: gold_bars, access: deny}
  - {name: cranes, table: crane, columns: [{name: crane_code, access: deny}]}
  - {name: rest}
`), 0o600))
	rules, err := policy.Open(path, time.Now, nil)
	require.NoError(t, err)
	s, err := New(Config{DefaultSource: "yard"}, Deps{Sources: snapshotStore(t, "yard", linked()), DataDir: t.TempDir(), Policy: rules, Clock: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	look := func(who string) (ship catalog.Table, words string) {
		d, err := s.open(as(t, who), "")
		require.NoError(t, err)
		defer d.release()
		for _, one := range d.tables {
			if one.Name.Table == "ship" {
				ship = d.table(one)
			}
		}
		terms, rules := d.glossary("")
		for _, term := range terms {
			words += term.Term + ": " + term.Definition + "; "
		}
		for _, r := range rules {
			words += r.ID + ": " + r.Text + "; "
		}
		terms, rules = d.glossary("quay")
		require.Len(t, terms, 2, "of one mart, and of all")
		require.Len(t, rules, 2)
		return ship, words
	}
	refs := func(one catalog.Table) (keys, joins string) {
		for _, k := range one.ForeignKeys {
			keys += k.RefTable.Table + " "
		}
		for _, j := range one.Usage.Joins {
			joins += j.Table.Table + " "
		}
		return strings.TrimSpace(keys), strings.TrimSpace(joins)
	}
	ship, words := look("ann")
	keys, joins := refs(ship)
	require.Equal(t, "tug", keys)
	require.Equal(t, "tug", joins)
	require.Equal(t, []catalog.Name{{Region: "yard", Schema: "main", Table: "tug"}}, ship.Upstream)
	require.Empty(t, ship.Successor)
	require.Len(t, ship.Usage.Columns, 1)
	require.Equal(t, "ships with … and tug_code of …", ship.Description)
	require.Equal(t, "see … and tug_code", ship.Columns[0].Comment)
	require.Equal(t, "berth: a place, by …; tide: ; quay: by tug_code; all: x; ", words)
	ship, words = look("boss")
	keys, _ = refs(ship)
	require.Equal(t, "crane tug gold", keys)
	require.Len(t, ship.Upstream, 2)
	require.Equal(t, "yard.main.gold", ship.Successor)
	require.Contains(t, words, "ingot")
	require.Contains(t, words, "vault")
}

// TestAPermissionIsAskedEachTime: what a function decides is kept for nobody, neither for
// others nor for the same asker later.
func TestAPermissionIsAskedEachTime(t *testing.T) {
	t.Parallel()
	allowed := map[string]bool{"ann": true}
	s := serviceOver(t, snapshotStore(t, "yard", linked()), func(p run.Principal, _ string, one *catalog.Table) bool {
		return allowed[p.ID] || one.Mart != "Vault"
	})
	see := func(who string) (listed, found int) {
		out, err := (&catalogServer{service: s}).ListTables(as(t, who), &findatav1.ListTablesRequest{Source: "yard"})
		require.NoError(t, err)
		searched, err := (&findDataServer{service: s}).SearchTables(as(t, who), &findatav1.SearchTablesRequest{Source: "yard", Query: "gold"})
		require.NoError(t, err)
		for _, one := range searched.GetTables() {
			if one.GetTable().GetMart() == "Vault" {
				found++
			}
		}
		return int(out.GetTotal()), found
	}
	for range 2 {
		listed, found := see("ann")
		require.Equal(t, []int{5, 2}, []int{listed, found})
		listed, found = see("bob")
		require.Equal(t, []int{3, 0}, []int{listed, found})
	}
	allowed["ann"] = false
	listed, found := see("ann")
	require.Equal(t, []int{3, 0}, []int{listed, found}, "it was taken back")
}
