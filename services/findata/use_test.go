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
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/findata/memory"
)

// yard is a service over the linked catalog.
func yard(t *testing.T, config Config, change func(*catalog.Snapshot, *Deps)) *Service {
	t.Helper()
	snapshot, deps := linked(), Deps{DataDir: t.TempDir(), Clock: time.Now}
	if change != nil {
		change(snapshot, &deps)
	}
	config.DefaultSource, deps.Sources = "yard", snapshotStore(t, "yard", snapshot)
	s, err := New(config, deps)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// TestWhatUseCounts: what a person did counts for the same question, what they accepted a
// little for others; of others' use and other sources nothing counts.
func TestWhatUseCounts(t *testing.T) {
	t.Parallel()
	for kind, want := range map[memory.Kind][2]float64{ // for the same question, for another
		memory.Accepted: {ownAccepted, ownAccepted * ownOtherQuestion}, memory.Clicked: {ownClicked, 0}, memory.Rejected: {ownRejected, 0}, memory.Shown: {0, 0},
	} {
		s := yard(t, Config{}, nil)
		d, err := s.open(as(t, "ann"), "")
		require.NoError(t, err)
		require.NoError(t, s.memory.Add(t.Context(), "ann", "yard", " Heavy Cranes ", []string{"yard.main.Crane"}, kind))
		require.NoError(t, s.memory.Add(t.Context(), "bob", "yard", "heavy cranes", []string{"yard.main.tug"}, kind))
		require.NoError(t, s.memory.Add(t.Context(), "ann", "other", "heavy cranes", []string{"yard.main.tug"}, kind))
		for i, question := range []string{"heavy cranes", "light cranes"} {
			own := s.ownUse(as(t, "ann"), d, question)
			require.InDelta(t, want[i], own.tables["yard.main.crane"], 1e-9, "%s %s", kind, question)
			require.NotContains(t, own.tables, "yard.main.tug")
		}
		require.Empty(t, s.ownUse(run.With(t.Context(), run.Context{}), d, "heavy cranes").tables, "nobody is signed in")
		d.release()
	}
}

// TestHabits: what most uses have is somebody's, from so many uses on.
func TestHabits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sg, br, uses int
		want         string
	}{{3, 0, 3, "SG"}, {2, 0, 2, ""}, {3, 2, 5, "SG"}, {3, 3, 6, ""}, {3, 0, 6, ""}, {0, 7, 9, "BR"}, {0, 0, 0, ""}} {
		counts := map[string]int{"SG": c.sg, "BR": c.br}
		require.Equal(t, c.want, habit(counts, c.uses), "%+v", c)
	}
	for name, want := range map[string]string{"dws_x_1d_sg": "daily", "x_weekly": "weekly", "X_MI": "monthly", "x_hi_y": "hourly", "daylight": "", "x_2d": ""} {
		require.Equal(t, want, grainOf(&catalog.Table{Name: catalog.Name{Table: name}}), name)
	}
}

// TestPreferencesOfWhatIsHiddenAreNotTold: what somebody set before it was hidden from
// them is neither told nor lost.
func TestPreferencesOfWhatIsHiddenAreNotTold(t *testing.T) {
	t.Parallel()
	open := true
	s := yard(t, Config{}, func(_ *catalog.Snapshot, d *Deps) {
		d.Permission = func(_ run.Principal, _ string, one *catalog.Table) bool { return open || one.Mart != "Vault" }
	})
	set := memory.Preferences{Marts: []string{"Quay", "Vault"}, Tables: []string{"gold", "ship"}, Region: "SG", Grain: "daily"}
	_, err := s.setPreferences(as(t, "ann"), "", set)
	require.NoError(t, err)
	for _, seen := range []bool{true, false, true} {
		open = seen
		got, err := s.preferences(as(t, "ann"), "")
		require.NoError(t, err)
		want := memory.Preferences{Marts: []string{"Quay", "Vault"}, Tables: []string{"yard.main.gold", "yard.main.ship"}, Region: "SG", Grain: "daily"}
		if !seen {
			want.Marts, want.Tables = want.Marts[:1], want.Tables[1:]
		}
		require.Equal(t, want, got.Now)
	}
	open = false
	_, err = s.setPreferences(as(t, "ann"), "", memory.Preferences{Tables: []string{"gold"}})
	require.ErrorContains(t, err, "there is no table gold")
}

// TestSearchesAreKeptApart: what was found within one mart, for other words or by other
// people's rights is given out for nothing else, whatever was asked before.
func TestSearchesAreKeptApart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "synonyms.yaml")
	now := today
	write := func(text string) {
		now = now.Add(time.Hour)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(path, now, now))
	}
	write("groups:\n- {words: [zorbles, crane]}\n")
	s := yard(t, Config{SynonymsFile: path}, func(c *catalog.Snapshot, d *Deps) {
		c.Tables[0].Successor = ""
		d.Clock = func() time.Time { return now }
	})
	search := func(text, mart string) string {
		out, err := (&findDataServer{service: s}).SearchTables(as(t, "ann"), &findatav1.SearchTablesRequest{Query: text, Mart: mart})
		require.NoError(t, err)
		var names []string
		for _, one := range out.GetTables() {
			names = append(names, one.GetTable().GetRef().GetTable())
		}
		return strings.Join(names, " ")
	}
	for range 2 {
		require.Contains(t, search("gold or a tug", ""), "gold")
		require.Contains(t, search("gold or a tug", ""), "tug")
		require.NotContains(t, search("gold or a tug", "quay"), "gold")
		require.NotContains(t, search("gold or a tug", "VAULT"), "tug")
		require.Contains(t, search("zorbles", ""), "crane")
	}
	write("groups:\n- {words: [zorbles, tug]}\n")
	require.Equal(t, "tug", strings.Fields(search("zorbles", ""))[0], "other words are searched for")
	out, err := (&findDataServer{service: s}).SearchTables(as(t, "ann"), &findatav1.SearchTablesRequest{Query: "gold or a tug", Mart: "Quay", Why: []string{"gold", "tug"}})
	require.NoError(t, err)
	require.Equal(t, findatav1.ExcludedBy_EXCLUDED_BY_MART, out.GetExplanations()[0].GetExcludedBy())
	require.Equal(t, findatav1.ExcludedBy_EXCLUDED_BY_UNSPECIFIED, out.GetExplanations()[1].GetExcludedBy())
}

// TestAnAnswerIsBounded: tables named beyond what is asked for, and rules of marts that no
// shown table is of, are not shown; what was shown is kept where the configuration wants it.
func TestAnAnswerIsBounded(t *testing.T) {
	t.Parallel()
	quiet := yard(t, Config{MaxShown: -1}, nil)
	for _, s := range []*Service{yard(t, Config{}, nil), quiet} {
		r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "@ship @crane @tug", MaxTables: 2})
		require.Equal(t, []string{"yard.main.ship", "yard.main.crane"}, namesOf(r.GetRelatedTables())[:2])
		for _, one := range r.GetRelatedTables()[2:] { // neighbours of a small source
			require.NotEmpty(t, one.GetReasons())
		}
		var rules []string
		for _, rule := range discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "@crane"}).GetRules() {
			rules = append(rules, rule.GetId())
		}
		require.Equal(t, []string{"quay", "all"}, rules)
		use, err := s.memory.Use(t.Context(), "ann", "yard")
		require.NoError(t, err)
		require.EqualValues(t, map[bool]int{false: 2}[s == quiet], use.Shown)
	}
}

// TestTopicsConfineASearch: a topic of chats does as a mart does.
func TestTopicsConfineASearch(t *testing.T) {
	t.Parallel()
	s := yard(t, Config{}, func(c *catalog.Snapshot, _ *Deps) { c.Tables[2].Topic = "Harbour" })
	r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "power by day", SelectedTableGroups: []string{"topic_harbour"}})
	require.Equal(t, "yard.main.tug", namesOf(r.GetRelatedTables())[0])
	require.Empty(t, r.GetWarnings())
	for _, ask := range []string{"power by day in the topic Harbour", "what is in the Harbour topic", "Harbour主题有什么"} {
		r = discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask})
		require.Equal(t, findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND, r.GetOutcome(), ask)
		require.Equal(t, "yard.main.tug", namesOf(r.GetRelatedTables())[0], ask)
		for _, one := range r.GetRelatedTables()[1:] {
			require.Contains(t, strings.Join(one.GetReasons(), " "), map[bool]string{true: "tug", false: "关联"}[strings.HasPrefix(one.GetReasons()[0], "joined")], ask)
		}
	}
	r = discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "something of it", SelectedTableGroups: []string{"topic_harbour", "topic_gone"}})
	require.Equal(t, "GROUP_UNKNOWN", r.GetWarnings()[0].GetCode())
	for _, one := range r.GetRelatedTables() {
		require.NotEqual(t, "Vault", one.GetTable().GetMart())
	}
}

// TestNamesThatMayMeanSeveral: a name that leaves out its region finds the only table of
// its kind, and none where there are two.
func TestNamesThatMayMeanSeveral(t *testing.T) {
	t.Parallel()
	at := func(region, table string) catalog.Table {
		return catalog.Table{Name: catalog.Name{Region: region, Schema: "main", Table: table}, Columns: []catalog.Column{{Name: "id", Type: "bigint"}}}
	}
	s := yard(t, Config{}, func(c *catalog.Snapshot, _ *Deps) {
		c.Tables = append(c.Tables, at("east", "pier"), at("west", "pier"), at("east", "dock"))
	})
	out, err := (&catalogServer{service: s}).DescribeTables(as(t, "ann"), &findatav1.DescribeTablesRequest{Tables: []string{"dock", "pier", "pier", "ship"}})
	require.NoError(t, err)
	require.Len(t, out.GetTables(), 2)
	require.Equal(t, "east", out.GetTables()[0].GetRef().GetIdcRegion())
	require.Len(t, out.GetUnknownTables(), 1, "which of the two is not known, and it is told once")
	require.Equal(t, "pier", out.GetUnknownTables()[0].GetName())
}

// TestTablesAreSimilarByTheirColumns: those that share enough of them, the closest first,
// behind the successor; columns that the asker may not see make nothing similar.
func TestTablesAreSimilarByTheirColumns(t *testing.T) {
	t.Parallel()
	with := func(name string, columns ...string) catalog.Table {
		out := catalog.Table{Name: catalog.Name{Region: "yard", Schema: "main", Table: name}}
		for _, c := range columns {
			out.Columns = append(out.Columns, catalog.Column{Name: c, Type: "bigint"})
		}
		return out
	}
	s := yard(t, Config{}, func(c *catalog.Snapshot, _ *Deps) {
		of := with("lamp", "a", "b", "c", "d")
		of.Successor = "main.torch"
		c.Tables = []catalog.Table{of, with("torch", "z"), with("near", "a", "b", "c"), with("nearer", "a", "b", "c", "d"), with("at_bound", "a", "b", "c", "p", "q", "r", "s", "t", "u"), with("far", "a", "p", "q", "r"), with("other", "p")}
	})
	for limit, want := range []string{"torch nearer near at_bound", "torch", "torch nearer"} {
		similar, err := s.similarTables(as(t, "ann"), "", "lamp", limit)
		require.NoError(t, err)
		var names []string
		for _, one := range similar {
			names = append(names, one.Table.Name.Table)
		}
		require.Equal(t, want, strings.Join(names, " "))
	}
}
