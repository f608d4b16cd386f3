package filter_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/services/findata/country"
	"github.com/dibrain/dibrain/services/findata/filter"
	"github.com/dibrain/dibrain/services/findata/preprocess"
	"github.com/dibrain/dibrain/services/findata/rank"
)

// shop is a catalog of tables joined by keys and by use.
func shop() []catalog.Table {
	name := func(t string) catalog.Name { return catalog.Name{Region: "r", Schema: "s", Table: t} }
	columns := func(names ...string) (out []catalog.Column) {
		for _, n := range names {
			out = append(out, catalog.Column{Name: n, Type: "bigint"})
		}
		return out
	}
	key := func(column, to string) catalog.ForeignKey {
		return catalog.ForeignKey{Columns: []string{column}, RefTable: name(to), RefColumns: []string{"id"}}
	}
	joins := func(to, column string, queries int64) *catalog.Usage {
		return &catalog.Usage{Joins: []catalog.Join{{Table: name(to), Columns: []string{column}, RefColumns: []string{"id"}, Queries: queries}}}
	}
	return []catalog.Table{
		{Name: name("orders"), Columns: columns("id", "user_id", "item_id", "hub_id"), ForeignKeys: []catalog.ForeignKey{key("user_id", "users"), key("item_id", "items")}, Usage: joins("hubs", "hub_id", 40)},
		{Name: name("users"), Columns: columns("id", "city_id"), ForeignKeys: []catalog.ForeignKey{key("city_id", "cities")}},
		{Name: name("items"), Columns: columns("id")},
		{Name: name("refunds"), Columns: columns("id", "order_id", "user_id"), ForeignKeys: []catalog.ForeignKey{key("order_id", "orders"), key("user_id", "users")}},
		{Name: name("clicks"), Columns: columns("id", "order_id"), ForeignKeys: []catalog.ForeignKey{key("order_id", "orders")}},
		{Name: name("cities"), Columns: columns("id")},
		{Name: name("hubs"), Columns: columns("id")},
	}
}

// folder is one over some tables as somebody sees them who may not see the hidden ones,
// nor a column of those in less.
func folder(t *testing.T, tables []catalog.Table, hidden []string, less map[string]string) (*filter.Folder, map[string]*catalog.Table) {
	t.Helper()
	x := catalog.NewIndex(&catalog.Snapshot{Tables: tables}, catalog.Defaults{Region: "r", Schema: "s"})
	view := x.Restrict(func(one *catalog.Table) bool { return !slices.Contains(hidden, one.Name.Table) })
	cfg, err := retrieval.DefaultConfig()
	require.NoError(t, err)
	corpus, err := retrieval.Build(t.Context(), cfg, x, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, corpus.Close()) })
	byName := map[string]*catalog.Table{}
	for _, one := range x.All().Tables() {
		byName[one.Name.Table] = one
	}
	visible := func(one *catalog.Table) *catalog.Table {
		kept, ok := less[one.Name.Table]
		if !ok {
			return one
		}
		shown := *one
		shown.Columns = slices.DeleteFunc(slices.Clone(one.Columns), func(c catalog.Column) bool { return c.Name == kept })
		shown.ForeignKeys = slices.DeleteFunc(slices.Clone(one.ForeignKeys), func(k catalog.ForeignKey) bool { return slices.Contains(k.Columns, kept) })
		return &shown
	}
	return &filter.Folder{View: view, Visible: visible, Countries: country.CoverageOf(x), Corpus: corpus, Question: &preprocess.Question{}, Region: "r", MaxVariants: 2, MaxSpread: 1}, byName
}

// TestNeighbours: what is joined with two of the chosen tables comes first, then what the
// best ones point to, then what points to them, then what people joined them with; none
// twice, none that was chosen, none that the asker may not see, none by a column that they
// may not see, and no more than asked for.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what   string
		chosen string
		limit  int
		hidden []string // tables
		less   map[string]string
		want   string
	}{
		{what: "one table", chosen: "orders", limit: 9, want: "users:user_id items:item_id clicks:order_id refunds:order_id hubs:hub_id*40"},
		{what: "as many as asked for", chosen: "orders", limit: 2, want: "users:user_id items:item_id"},
		{what: "none", chosen: "orders", limit: 0, want: ""},
		{what: "between two", chosen: "orders users", limit: 9, want: "refunds:order_id items:item_id cities:city_id clicks:order_id hubs:hub_id*40"},
		{what: "joined by use, as told of the other one alone", chosen: "hubs", limit: 9, want: ""},
		{what: "hidden tables", chosen: "orders", limit: 9, hidden: []string{"users", "clicks", "hubs"}, want: "items:item_id refunds:order_id"},
		{what: "a hidden column of the chosen one", chosen: "orders", limit: 9, less: map[string]string{"orders": "hub_id"}, want: "users:user_id items:item_id clicks:order_id refunds:order_id"},
		{what: "a hidden column of the other one", chosen: "orders", limit: 9, less: map[string]string{"hubs": "id"}, want: "users:user_id items:item_id clicks:order_id refunds:order_id"},
		{what: "a hidden column of who points here", chosen: "orders", limit: 9, less: map[string]string{"clicks": "order_id"}, want: "users:user_id items:item_id refunds:order_id hubs:hub_id*40"},
	} {
		f, tables := folder(t, shop(), c.hidden, c.less)
		var chosen []filter.Chosen
		for _, name := range strings.Fields(c.chosen) {
			chosen = append(chosen, filter.Chosen{Ranked: rank.Ranked{Table: tables[name]}})
		}
		var got []string
		for _, n := range f.Neighbours(chosen, c.limit) {
			require.True(t, slices.ContainsFunc(chosen, func(o filter.Chosen) bool { return o.Table.Name == n.JoinedWith }), c.what)
			one := n.Table.Name.Table + ":" + n.Key
			if n.JoinedBy > 0 {
				one += "*40"
				require.EqualValues(t, 40, n.JoinedBy)
			}
			got = append(got, one)
		}
		require.Equal(t, c.want, strings.Join(got, " "), c.what)
	}
}

// family are near twins by country, of which some are deprecated.
func family() []catalog.Table {
	one := func(table, country string, used int64) catalog.Table {
		return catalog.Table{Name: catalog.Name{Region: "r", Schema: "s", Table: table}, Country: country, Manifest: "visit_{cid}", QueryCount30d: used, Columns: []catalog.Column{{Name: "id", Type: "bigint"}}}
	}
	all := []catalog.Table{one("visit_sg", "SG", 5), one("visit_br", "BR", 50), one("visit_th", "TH", 1), one("visit_vn", "VN", 2)}
	old := catalog.Table{Name: catalog.Name{Region: "r", Schema: "s", Table: "old"}, Successor: "s.fresh", Columns: []catalog.Column{{Name: "id", Type: "bigint"}}}
	fresh := catalog.Table{Name: catalog.Name{Region: "r", Schema: "s", Table: "fresh"}, Columns: []catalog.Column{{Name: "id", Type: "bigint"}}}
	return append(all, old, fresh)
}

// TestFamiliesAreFolded: of near twins one stands for all, the one of the country asked
// for, else of the asker's, else the one used most; a deprecated table brings its successor
// before it, unless that is shown or hidden; and no more are shown than asked for.
func TestFamiliesAreFolded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what      string
		countries []string
		every     bool
		region    string
		ranked    string
		have      string
		limit     int
		spread    int
		hidden    []string
		want      string // tables with the country that decided, ! by the asker's, and the variants
	}{
		{what: "the most used", ranked: "visit_th visit_sg visit_br", limit: 9, want: "visit_br(visit_sg visit_th)"},
		{what: "the country's", countries: []string{"TH"}, ranked: "visit_br visit_th", limit: 9, want: "visit_th=TH(visit_br visit_sg)"},
		{what: "two countries", countries: []string{"TH", "SG"}, ranked: "visit_br", limit: 9, spread: 3, want: "visit_th=TH(visit_br visit_vn) visit_sg=SG(visit_br visit_vn)"},
		{what: "the asker's", region: "VN", ranked: "visit_br", limit: 9, want: "visit_vn=VN!(visit_br visit_sg)"},
		{what: "the question's before the asker's", countries: []string{"SG"}, region: "VN", ranked: "visit_br", limit: 9, want: "visit_sg=SG(visit_br visit_th)"},
		{what: "each, by few", every: true, ranked: "visit_br", limit: 9, spread: 4, want: "visit_br() visit_sg() visit_th() visit_vn()"},
		{what: "each, by many", every: true, ranked: "visit_br", limit: 9, spread: 3, want: "visit_br(visit_sg visit_th)"},
		{what: "hidden ones", ranked: "visit_th", limit: 9, hidden: []string{"visit_br", "visit_sg"}, want: "visit_vn(visit_th)"},
		{what: "a successor", ranked: "old", limit: 9, want: "fresh<old() old()"},
		{what: "a successor that is shown", ranked: "fresh old", limit: 9, want: "fresh() old()"},
		{what: "a successor that is hidden", ranked: "old", limit: 9, hidden: []string{"fresh"}, want: "old()"},
		{what: "what is there already", ranked: "visit_br old", have: "visit_th", limit: 9, want: "fresh<old() old()"},
		{what: "as many as asked for", ranked: "visit_br fresh old", limit: 1, spread: 1, want: "visit_br(visit_sg visit_th)"},
		{what: "a family within the limit", countries: []string{"TH", "SG", "VN"}, ranked: "visit_br", limit: 1, spread: 2, want: "visit_th=TH(visit_br) visit_sg=SG(visit_br)"},
		{what: "none", ranked: "visit_br", limit: 0, want: ""},
	} {
		f, tables := folder(t, family(), c.hidden, nil)
		f.Question.Countries, f.Question.Every, f.Question.Region = c.countries, c.every, c.region
		f.MaxVariants, f.MaxSpread = 2, c.spread
		list := func(names string) (out []rank.Ranked) {
			for _, name := range strings.Fields(names) {
				out = append(out, rank.Ranked{Table: tables[name]})
			}
			return out
		}
		var have []filter.Chosen
		for _, r := range list(c.have) {
			have = append(have, filter.Chosen{Ranked: r})
		}
		var got []string
		for _, one := range f.Fold(list(c.ranked), have, c.limit) {
			text := one.Table.Name.Table
			if one.Country != "" {
				text += "=" + one.Country
			}
			if one.ByUser {
				text += "!"
			}
			if one.Replaces.Table != "" {
				text += "<" + one.Replaces.Table
			}
			var variants []string
			for _, v := range one.Variants {
				variants = append(variants, v.Table)
			}
			got = append(got, text+"("+strings.Join(variants, " ")+")")
		}
		require.Equal(t, c.want, strings.Join(got, " "), c.what)
	}
}

// TestANameStandsForItsTwins: a name without marks, written as a word, is that of all its
// near twins, and the rest of the question says which of them is meant. The one that has the
// name stays beside it.
func TestANameStandsForItsTwins(t *testing.T) {
	t.Parallel()
	name := func(table string) catalog.Name { return catalog.Name{Region: "r", Schema: "s", Table: table} }
	var tables []catalog.Table
	for _, one := range strings.Fields("dock_visits dock_visits_sg dock_visits_br dws_dock_visits_br crane_hours lift_trips lift_trips_hi belt_runs belt_runs_hi quay_calls quay_calls_hi") {
		tables = append(tables, catalog.Table{Name: name(one)})
	}
	ruled := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(ruled, []byte(`rules: [{tables: ["*.dock_visits_br", "*.dws_dock_visits_br"], do: hide}]`), 0o600))
	rules, err := filter.NewRules(ruled, time.Minute, time.Now)
	require.NoError(t, err)
	hiding, err := rules.For("rows")
	require.NoError(t, err)
	for _, c := range []struct {
		what, name, text string
		hidden           []string
		rules            filter.Applied
		exact            bool
		intent           preprocess.Intent
		want             string
	}{
		{what: "nothing says which", name: "dock_visits", text: "rows of dock_visits", want: "dock_visits!"},
		{what: "a country does", name: "dock_visits", text: "rows of dock_visits for the Brazilian market", want: "dock_visits_br dock_visits!"},
		{what: "a layer and a country do", name: "dock_visits", text: "aggregated dock_visits in Brazil", want: "dws_dock_visits_br dock_visits!"},
		{what: "the name has a mark", name: "dock_visits_sg", text: "rows of dock_visits_sg for the Brazilian market", want: "dock_visits_sg!"},
		{what: "a country that no twin has", name: "dock_visits", text: "rows of dock_visits for the Thai market", want: "dock_visits!"},
		{what: "a table without twins", name: "crane_hours", text: "rows of crane_hours in Brazil", want: "crane_hours!"},
		{what: "the twin may not be seen", name: "dock_visits", text: "rows of dock_visits for the Brazilian market", hidden: []string{"dock_visits_br", "dws_dock_visits_br"}, want: "dock_visits!"},
		{what: "a rule hides the twin", name: "dock_visits", text: "rows of dock_visits for the Brazilian market", rules: hiding, want: "dock_visits!"},
		{what: "a twin that is only near what is asked for", name: "lift_trips", text: "newly added rows of lift_trips each day", want: "lift_trips!"},
		{what: "a twin that is it", name: "lift_trips", text: "hourly snapshot of lift_trips", want: "lift_trips_hi lift_trips!"},
		{what: "the name is written with its schema", name: "dock_visits", text: "rows of s.dock_visits for the Brazilian market", exact: true, want: "dock_visits!"},
		{what: "about the table itself", name: "dock_visits", text: "who owns dock_visits in Brazil", intent: preprocess.IntentOwner, want: "dock_visits!"},
	} {
		f, byName := folder(t, tables, c.hidden, nil)
		f.Question.Query, f.Question.Intent, f.Rules = f.Corpus.Parse(c.text, nil), c.intent, c.rules
		var got []string
		for _, one := range f.Named(preprocess.Named{As: c.name, Tables: []*catalog.Table{byName[c.name]}, Loose: !c.exact}) {
			text := one.Table.Name.Table
			if one.Named {
				text += "!"
			}
			got = append(got, text)
		}
		require.Equal(t, c.want, strings.Join(got, " "), c.what)
	}
}

// TestKeep: a table answers for a question where it may be seen, and covers one of the
// countries asked for or does not tell.
func TestKeep(t *testing.T) {
	t.Parallel()
	f, tables := folder(t, family(), []string{"visit_vn"}, nil)
	for _, c := range []struct{ countries, kept string }{
		{"", "visit_sg visit_br visit_th old fresh"}, {"SG", "visit_sg old fresh"}, {"SG TH", "visit_sg visit_th old fresh"}, {"VN", "old fresh"},
	} {
		f.Question.Countries = strings.Fields(c.countries)
		var kept []string
		for _, one := range family() {
			if f.Keep(tables[one.Name.Table]) {
				kept = append(kept, one.Name.Table)
			}
		}
		require.Equal(t, c.kept, strings.Join(kept, " "), c.countries)
	}
}
