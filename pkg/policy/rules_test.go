package policy_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// TestCheckAndUnused: a rule is tried on the tables that it is about and on no others.
func TestCheckAndUnused(t *testing.T) {
	t.Parallel()
	table := func(region, schema, name string) catalog.Table {
		return catalog.Table{Name: catalog.Name{Region: region, Schema: schema, Table: name}, Columns: []catalog.Column{{Name: "id", Type: "bigint"}}}
	}
	tables := []catalog.Table{table("sg", "shop", "a"), table("id", "shop", "a"), table("sg", "mp", "a"), table("sg", "shop", "b")}
	const gone = ", filter: gone = 1}"
	for rule, broken := range map[string]int{
		"{name: r" + gone:                                               4,
		"{name: r, source: demo" + gone:                                 4,
		"{name: r, source: other" + gone:                                0,
		"{name: r, catalog: SG" + gone:                                  3,
		"{name: r, schema: shop" + gone:                                 3,
		"{name: r, table: a" + gone:                                     3,
		"{name: r, catalog: sg, schema: mp, table: a" + gone:            1,
		"{name: r, catalog: th" + gone:                                  0,
		"{name: r, schema: none" + gone:                                 0,
		"{name: r, table: none" + gone:                                  0,
		"{name: r, user: nobody, group: none" + gone:                    4,
		"{name: r, access: deny}":                                       0,
		"{name: r, filter: 'contains(current_groups(), current_user)'}": 0,
	} {
		p := parse(t, "rules:\n  - {name: fits, source: demo, table: b, filter: id = 1}\n  - "+rule)
		found := p.Check("demo", tables)
		require.Len(t, found, broken, rule)
		unused := p.Unused(map[string][]catalog.Table{"demo": tables, "empty": nil})
		if broken == 0 && strings.Contains(rule, "gone") {
			require.Equal(t, []string{"rule r (line 3)"}, unused, rule)
		} else {
			require.Empty(t, unused, rule)
		}
		require.Equal(t, []string{"rule fits (line 2)", "rule r (line 3)"}, p.Unused(nil))
	}
	var none *policy.Policy
	require.Empty(t, none.Check("demo", tables))
	require.Empty(t, none.Unused(nil))
}

// TestWhatACoverSays: beside its query a cover says what it hides, masks and why.
func TestWhatACoverSays(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]policy.Cover{
		`{filter: id = 1, purpose: own}`:                                     {Filtered: true, Purpose: "own"},
		`{columns: [{name: id, access: deny}, {name: phone, access: deny}]}`: {Hidden: 2},
		`{columns: [{name: phone, mask: "'x'", purpose: p}, {name: TAGS, mask: "null"}, {name: gone, mask: "1", if_present: true}]}`: {
			Masked: []policy.MaskedColumn{{Name: "Phone", Purpose: "p"}, {Name: "tags"}}},
	} {
		stored := customer()
		access := parse(t, "rules: ["+rule+"]").For(run.Principal{ID: "ann"}, "").Access(stored.Name)
		cover, err := access.Cover(&stored)
		require.NoError(t, err, rule)
		cover.Query = nil
		require.Equal(t, want, *cover, rule)
		require.Equal(t, want.Filtered, access.Filtered())
		require.False(t, access.Whole())
		require.Equal(t, want.Purpose, access.Purpose)
	}
	stored := customer()
	access := parse(t, "rules: [{partitions: [d, e], purpose: why}]").For(run.Principal{ID: "ann"}, "").Access(stored.Name)
	require.Equal(t, []string{"d", "e"}, access.Partitions)
	require.Equal(t, "why", access.Purpose)
	require.True(t, access.Whole())
	cover, err := access.Cover(&stored)
	require.NoError(t, err)
	require.Nil(t, cover)
	require.Same(t, &stored, access.Visible(&stored))

	access = parse(t, "rules:\n  - name: all\n    columns:\n      - {name: id, access: deny}\n      - {name: phone, access: deny}\n      - {name: salary, access: deny}\n      - {name: tags, access: deny}").
		For(run.Principal{ID: "ann"}, "").Access(stored.Name)
	_, err = access.Cover(&stored)
	require.EqualError(t, err, "line 4: rule all on sg.shop.Customer: it denies every column: deny the table")
}

// TestMasksFitTheirColumns: a mask stands for a column when its value becomes the
// column's type without a conversion that could fail.
func TestMasksFitTheirColumns(t *testing.T) {
	t.Parallel()
	stored := catalog.Table{Name: catalog.Name{Region: "sg", Schema: "shop", Table: "order"}, Columns: []catalog.Column{
		{Name: "big", Type: "bigint"}, {Name: "small", Type: "integer"}, {Name: "short", Type: "varchar(2)"}, {Name: "group", Type: "varchar"},
		{Name: "fixed", Type: "char(4)"}, {Name: "day", Type: "date"}, {Name: "at", Type: "timestamp(3)"}, {Name: "flag", Type: "boolean"},
		{Name: "many", Type: "array(bigint)"}, {Name: "odd", Type: "ipaddress"},
	}}
	for _, c := range []struct{ column, mask, want string }{
		{"big", "small", "CAST(small AS bigint) AS big"},
		{"big", "big", "CAST(big AS bigint) AS big"},
		{"small", "big", ""},
		{"short", `"group"`, `CAST("group" AS varchar(2)) AS short`},
		{"group", "short", `CAST(short AS varchar) AS "group"`},
		{"fixed", `"group"`, `CAST("group" AS char(4)) AS fixed`},
		{"short", "big", ""}, {"big", "short", ""}, {"day", "'x'", ""}, {"flag", "1", ""},
		{"flag", "not flag", "CAST(not flag AS boolean) AS flag"},
		{"at", "day", "CAST(day AS timestamp(3)) AS \"at\""},
		{"day", "at", ""},
		{"many", "many", "CAST(many AS array(bigint)) AS many"},
		{"many", "null", "CAST(null AS array(bigint)) AS many"},
		{"odd", "odd", "CAST(odd AS ipaddress) AS odd"},
		{"odd", "null", "CAST(null AS ipaddress) AS odd"},
		{"short", "cast('x' as varchar(2))", "cast('x' as varchar(2)) AS short"},
		{"short", "cast('x' as varchar(3))", "CAST(cast('x' as varchar(3)) AS varchar(2)) AS short"},
		{"day", "current_date", "CAST(DATE '2024-02-29' AS date) AS day"},
	} {
		p, err := policy.Parse("p", []byte("rules: [{columns: [{name: "+c.column+", mask: '"+strings.ReplaceAll(c.mask, "'", "''")+"'}]}]"),
			policy.WithClock(func() time.Time { return time.Date(2024, 2, 29, 1, 0, 0, 0, time.UTC) }))
		require.NoError(t, err, c.mask)
		cover, err := p.For(run.Principal{ID: "ann"}, "").Access(stored.Name).Cover(&stored)
		if c.want == "" {
			require.ErrorContains(t, err, "write a cast", c)
			continue
		}
		require.NoError(t, err, c)
		got := printer.Print(cover.Query)
		require.Contains(t, got, c.want, c)
		require.Contains(t, got, `FROM sg.shop."order"`)
	}
}

// TestGroupsOfTheAsker: only contains() over the groups becomes a list; every other
// use is an array, which has its type when it is empty too.
func TestGroupsOfTheAsker(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string][2]string{
		"contains(current_groups(), phone)":           {"phone IN ('a', 'b')", "phone <> phone"},
		"contains(tags, phone)":                       {"contains(tags, phone)", "contains(tags, phone)"},
		"cardinality(current_groups()) = 0":           {"cardinality(ARRAY['a', 'b']) = 0", "cardinality(CAST(ARRAY[] AS array(varchar))) = 0"},
		"array_position(current_groups(), phone) > 0": {"array_position(ARRAY['a', 'b'], phone) > 0", "array_position(CAST(ARRAY[] AS array(varchar)), phone) > 0"},
	} {
		p := parse(t, "rules: [{filter: \""+filter+"\"}]")
		stored := customer()
		for i, groups := range [][]string{{"a", "b"}, nil} {
			cover, err := p.For(run.Principal{ID: "ann", Groups: groups}, "").Access(stored.Name).Cover(&stored)
			require.NoError(t, err, filter)
			_, got, _ := strings.Cut(printer.Print(cover.Query), " WHERE ")
			require.Equal(t, want[i], got)
		}
	}
}

// TestDigitsOfTheClock: a function of the time has the digits that it is asked for,
// never more than the clock knew, and never the future.
func TestDigitsOfTheClock(t *testing.T) {
	t.Parallel()
	stored := catalog.Table{Name: catalog.Name{Region: "sg", Schema: "s", Table: "t"}, Columns: []catalog.Column{
		{Name: "at", Type: "timestamp(12)"}, {Name: "z", Type: "time(3) with time zone"}, {Name: "name", Type: "varchar"}}}
	now := time.Date(2024, 2, 29, 23, 59, 59, 999_999_999, time.FixedZone("", -5*3600))
	for filter, want := range map[string]string{
		"at < localtimestamp(0)":                "at < TIMESTAMP '2024-03-01 04:59:59'",
		"at < localtimestamp(1)":                "at < TIMESTAMP '2024-03-01 04:59:59.9'",
		"at < localtimestamp(9)":                "at < TIMESTAMP '2024-03-01 04:59:59.999999999'",
		"at < localtimestamp(12)":               "at < TIMESTAMP '2024-03-01 04:59:59.999999999000'",
		"z < current_time":                      "z < TIME '04:59:59.999+00:00'",
		"name = concat(current_timezone(), '')": "name = concat('UTC', '')",
		"at < date_add('day', 1, now())":        "at < date_add('day', 1, TIMESTAMP '2024-03-01 04:59:59.999 UTC')",
	} {
		p, err := policy.Parse("p", []byte("rules: [{filter: \""+filter+"\"}]"), policy.WithClock(func() time.Time { return now }), policy.WithClock(nil))
		require.NoError(t, err, filter)
		cover, err := p.For(run.Principal{ID: "ann"}, "").Access(stored.Name).Cover(&stored)
		require.NoError(t, err, filter)
		_, got, _ := strings.Cut(printer.Print(cover.Query), " WHERE ")
		require.Equal(t, want, got)
	}
}

// TestPatterns: names of the catalog are compared without case and in whole, however
// the pattern is written.
func TestPatterns(t *testing.T) {
	t.Parallel()
	const names = "orders ORDERS Orders items ITEMS orders_a ORDERS_B x xorders ordersx"
	for pattern, want := range map[string]struct{ table, user string }{
		"orders":       {"orders ORDERS Orders", "orders"},
		"orders|items": {"orders ORDERS Orders items ITEMS", "orders items"},
		"orders_[a-z]": {"orders_a ORDERS_B", "orders_a"},
		".*s":          {"orders ORDERS Orders items ITEMS xorders", "orders Orders items xorders"},
		".*":           {names, names},
	} {
		tables, users := parse(t, "rules: [{table: \""+pattern+"\"}]"), parse(t, "rules: [{user: \""+pattern+"\"}]")
		var table, user []string
		for name := range strings.FieldsSeq(names) {
			if tables.For(run.Principal{ID: "ann"}, "").Access(catalog.Name{Region: "sg", Schema: "s", Table: name}).Read {
				table = append(table, name)
			}
			if users.For(run.Principal{ID: name}, "").Access(catalog.Name{Region: "sg", Schema: "s", Table: "t"}).Read {
				user = append(user, name)
			}
		}
		require.Equal(t, want.table, strings.Join(table, " "), pattern)
		require.Equal(t, want.user, strings.Join(user, " "), pattern)
	}
}

// TestFingerprint: it names the file's text and the rules that are about an asker.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	const text = "rules: [{name: a, user: ann}, {name: b, user: bob|ben}, {name: c, source: demo}]"
	p, same, other := parse(t, text), parse(t, text), parse(t, text+" # other")
	of := func(p *policy.Policy, id, source string) string {
		return p.For(run.Principal{ID: id}, source).Fingerprint()
	}
	require.Equal(t, of(p, "bob", "x"), of(p, "ben", "x"))
	require.Equal(t, of(p, "bob", "x"), of(same, "ben", "x"))
	require.NotEqual(t, of(p, "bob", "x"), of(other, "bob", "x"))
	require.NotEqual(t, of(p, "bob", "x"), of(p, "ann", "x"))
	require.NotEqual(t, of(p, "bob", "x"), of(p, "bob", "demo"))
	require.NotEqual(t, of(p, "eve", "x"), of(p, "ann", "x"))
	require.Greater(t, len(of(p, "eve", "x")), 16, "the text of the file is in it where no rule is about the asker")
}

// TestWhenAFileIsReadAgain: a change is seen after two seconds, also one that keeps the
// file's time or its size, and also when the clock went back; a mistake is told once.
func TestWhenAFileIsReadAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	modified := now
	write := func(text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(path, modified, modified))
	}
	write("rules: [{table: a}]")
	var log bytes.Buffer
	f, err := policy.Open(path, func() time.Time { return now }, slog.New(slog.NewTextHandler(&log, nil)), policy.InZone(time.FixedZone("x", 3600)))
	require.NoError(t, err)
	reads := func(table string) bool {
		p, err := f.Current()
		return err == nil && p.For(run.Principal{ID: "ann"}, "").Access(catalog.Name{Schema: "s", Table: table}).Read
	}
	write("rules: [{table: bb}]") // as old, of another size
	require.True(t, reads("a"), "it was read just now")
	now = now.Add(2*time.Second - 1)
	require.True(t, reads("a"))
	now = now.Add(1)
	require.True(t, reads("bb"))
	modified = modified.Add(time.Second)
	write("rules: [{table: cc}]") // as long, of another time
	require.True(t, reads("bb"))
	now = now.Add(-time.Minute)
	require.True(t, reads("cc"), "the clock went back")
	read, err := f.Current()
	require.NoError(t, err)
	now = now.Add(time.Minute)
	again, err := f.Current()
	require.NoError(t, err)
	require.Same(t, read, again, "what has not changed is not read again")

	modified = modified.Add(time.Second)
	write("rules: [{tabel: dd}]")
	for range 3 {
		now = now.Add(time.Minute)
		require.False(t, reads("cc"))
	}
	require.Equal(t, 1, strings.Count(log.String(), "cannot be read"))
	modified = modified.Add(time.Second)
	write("rules: [{tabel: dd, x: y}]")
	now = now.Add(time.Minute)
	require.False(t, reads("cc"))
	require.Equal(t, 2, strings.Count(log.String(), "cannot be read"), "another mistake is told")

	modified = modified.Add(time.Second)
	write(`rules: [{filter: "at > localtimestamp"}]`)
	now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p, err := f.Current()
	require.NoError(t, err)
	table := catalog.Table{Name: catalog.Name{Region: "sg", Schema: "s", Table: "t"}, Columns: []catalog.Column{{Name: "at", Type: "timestamp(3)"}}}
	cover, err := p.For(run.Principal{ID: "ann"}, "").Access(table.Name).Cover(&table)
	require.NoError(t, err)
	require.Contains(t, printer.Print(cover.Query), "at > TIMESTAMP '2026-01-02 04:04:05.000'", "the clock and the zone that it was opened with")
}

// TestWhatIsWithheld: the values of a column are the asker's to know where no rule denies
// or masks it, and no rule is about a column that is no more: any column could be that one.
func TestWhatIsWithheld(t *testing.T) {
	t.Parallel()
	all := []string{"id", "Phone", "salary", "tags"}
	for rule, want := range map[string][]string{
		`{name: r}`:                               nil,
		`filter: id = 1`:                          nil,
		`columns: [{name: PHONE, mask: "'x'"}]`:   {"Phone"},
		`columns: [{name: salary, access: deny}]`: {"salary"},
		`columns: [{name: salary, access: deny}, {name: id, mask: "0"}]`:                   {"id", "salary"},
		`columns: [{name: wages, access: deny}]`:                                           all,
		`columns: [{name: wages, mask: "0"}]`:                                              all,
		`columns: [{name: wages, access: deny, if_present: true}]`:                         nil,
		`columns: [{name: wages, mask: "0", if_present: true}, {name: id, mask: "0"}]`:     {"id"},
		`columns: [{name: wages, access: deny, if_present: true}, {name: pay, mask: "0"}]`: all,
	} {
		stored := customer()
		access := parse(t, "rules:\n  - "+rule).For(run.Principal{ID: "ann"}, "").Access(stored.Name)
		for _, column := range all {
			for _, name := range []string{column, strings.ToUpper(column)} {
				require.Equal(t, slices.Contains(want, column), access.Withholds(&stored, name), "%s under %s", name, rule)
			}
		}
		require.Equal(t, len(want) == len(all), access.Withholds(&stored, "unheard_of"), rule)
	}
}

// TestWhatIsDeniedIsNotWhole: a table that no rule lets be read, or that one denies, is
// nothing that could be read as it is stored.
func TestWhatIsDeniedIsNotWhole(t *testing.T) {
	t.Parallel()
	stored := customer()
	for rules, want := range map[string]struct{ whole, permits bool }{
		`[]`: {}, `[{access: deny}]`: {}, `[{table: other}]`: {}, `[{table: customer, access: deny}, {}]`: {},
		`[{}]`: {true, true}, `[{table: other, access: deny}, {}]`: {true, true},
		`[{filter: id = 1}]`: {false, true}, `[{columns: [{name: id, mask: "0"}]}]`: {false, true},
	} {
		access := parse(t, "rules: "+rules).For(run.Principal{ID: "ann"}, "").Access(stored.Name)
		require.Equal(t, want.whole, access.Whole(), rules)
		require.Equal(t, want.permits, access.Permits(&stored), rules)
		require.Equal(t, want.permits, access.Read, rules)
	}
}

// TestOneRowAtATime: what looks at several rows, or at none, is refused in a policy before
// any table is looked at.
func TestOneRowAtATime(t *testing.T) {
	t.Parallel()
	for _, x := range []string{
		"row_number() = 1", "rank() < 3", "ntile(4) = 1", "lag(id) = 1", "first_value(id) = 1", "row_number() OVER () = 1", "sum(id) OVER () > 0",
		"sum(id) > 0", "count(*) > 1", "max_by(id, id) = 1", "listagg(phone, ',') = 'x'", "grouping(id) = 0", "approx_distinct(id) = 1", "array_agg(id)[1] = 1",
		"(SELECT 1) = 1", "EXISTS (SELECT 1)", "id IN (SELECT 1)", "id = ?", "unheard_of(id)", "my.own(id)", "current_path = 'x'", "current_groups(1) = id",
	} {
		for _, rule := range []string{"{filter: %q}", "{columns: [{name: id, mask: %q}]}"} {
			_, err := policy.Parse("p", fmt.Appendf(nil, "rules: ["+rule+"]", x))
			var problems policy.Problems
			require.ErrorAs(t, err, &problems, x)
			require.Len(t, problems, 1, x)
		}
	}
}
