package guard_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

func alice() run.Principal { return run.Principal{ID: "alice"} }

// noHR permits all but the schema hr.
const noHR = `
rules:
  - {name: hr, schema: hr, access: deny}
  - {name: rest}
`

func policyOf(t testing.TB, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse("policy.yaml", []byte(text))
	require.NoError(t, err)
	return p
}

func fixture(t testing.TB) (*guard.Guard, resolve.Scope) {
	column := func(name, typ string) catalog.Column { return catalog.Column{Name: name, Type: typ} }
	tables := resolve.NewTables([]catalog.Table{
		{Name: catalog.Name{Region: "sg", Schema: "mp_order", Table: "dwd_order"}, Columns: []catalog.Column{
			column("order_id", "bigint"), column("user_id", "bigint"), column("gmv", "decimal(18,2)"), column("grass_date", "date"),
		}},
		{Name: catalog.Name{Region: "sg", Schema: "mp_order", Table: "dim_user"}, Columns: []catalog.Column{
			column("user_id", "bigint"), column("name", "varchar"),
		}},
		{Name: catalog.Name{Region: "sg", Schema: "hr", Table: "salary"}, Columns: []catalog.Column{
			column("user_id", "bigint"), column("amount", "bigint"),
		}},
	})
	g := guard.New(guard.Config{DefaultLimit: 50, MaxLimit: 100}).Under(guard.Terms{Policy: policyOf(t, noHR)})
	return g, resolve.Scope{Catalog: tables, DefaultRegion: "sg", DefaultSchema: "mp_order"}
}

type guardCase struct{ want, sql string }

func cases(t testing.TB, file string) []guardCase {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	var out []guardCase
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		want, sql, ok := strings.Cut(line, "\t")
		require.True(t, ok, line)
		if strings.HasPrefix(sql, `"`) && strings.HasSuffix(sql, `"`) {
			sql, err = strconv.Unquote(sql)
			require.NoError(t, err, line)
		}
		out = append(out, guardCase{want, sql})
	}
	require.NotEmpty(t, out, file)
	return out
}

func TestAttacks(t *testing.T) {
	t.Parallel()
	g, scope := fixture(t)
	all := cases(t, "attacks.txt")
	require.Greater(t, len(all), 150)
	for _, c := range all {
		t.Run(c.sql, func(t *testing.T) {
			approved, err := g.Approve(t.Context(), alice(), c.sql, scope)
			require.Error(t, err, "%q", c.sql)
			require.True(t, approved.IsZero())
			var refusal *guard.Refusal
			require.ErrorAs(t, err, &refusal, "%q", c.sql)
			got := fmt.Sprintf("%s %s %d:%d", refusal.Rule, refusal.Code, refusal.Line, refusal.Column)
			require.Equal(t, c.want, got, "%q: %s", c.sql, err)
			require.NotContains(t, refusal.Suggestions, "sg.hr.salary", "%q", c.sql)
			require.NotEqual(t, codes.Unknown, status.Code(err))
		})
	}
}

func TestLegitimate(t *testing.T) {
	t.Parallel()
	g, scope := fixture(t)
	all := cases(t, "legitimate.txt")
	require.Greater(t, len(all), 150)
	for _, c := range all {
		t.Run(c.sql, func(t *testing.T) {
			approved, err := g.Approve(t.Context(), alice(), c.sql, scope)
			require.NoError(t, err, "%q", c.sql)
			if c.want == "-" {
				require.Empty(t, approved.Changes(), "%q", c.sql)
				require.Equal(t, strings.TrimRight(strings.TrimSpace(c.sql), ";"), approved.SQL())
			} else {
				require.Len(t, approved.Changes(), 1, "%q", c.sql)
				require.True(t, strings.HasSuffix(approved.Changes()[0].Message, c.want), "%q: %s", c.sql, approved.Changes()[0].Message)
			}
			require.Positive(t, approved.RowLimit())
			again, err := g.Approve(t.Context(), alice(), approved.SQL(), scope)
			require.NoError(t, err, "%q", approved.SQL())
			require.Empty(t, again.Changes(), "approving twice changes nothing more: %q", approved.SQL())
			require.Equal(t, approved.SQL(), again.SQL())
			require.Equal(t, approved.SHA256(), again.SHA256())
		})
	}
}

func TestLimitKeepsText(t *testing.T) {
	t.Parallel()
	g, scope := fixture(t)
	for in, want := range map[string]string{
		"select  name -- n\n from dim_user -- end":            "select  name -- n\n from dim_user LIMIT 50 -- end",
		"select name from dim_user ;":                         "select name from dim_user LIMIT 50",
		"select name from dim_user /* a */ limit /* b */ 999": "select name from dim_user /* a */ LIMIT 100",
		"select name from dim_user fetch next 999 rows only":  "select name from dim_user FETCH FIRST 100 ROWS ONLY",

		"select name from dim_user order by name fetch first 999 rows with ties": "select name from dim_user order by name FETCH FIRST 100 ROWS WITH TIES",
	} {
		approved, err := g.Approve(t.Context(), alice(), in, scope)
		require.NoError(t, err)
		require.Equal(t, want, approved.SQL())
	}
}

func TestUnknownAndForbiddenLookAlike(t *testing.T) {
	t.Parallel()
	g, scope := fixture(t)
	message := func(table string) string {
		_, err := g.Approve(t.Context(), alice(), "select 1 x from hr."+table, scope)
		require.Error(t, err)
		return strings.ReplaceAll(err.Error(), table, "T")
	}
	require.Equal(t, message("secret"), message("salary"))
}

func TestAllMistakesAreReported(t *testing.T) {
	t.Parallel()
	g, scope := fixture(t)
	_, err := g.Approve(t.Context(), alice(), "select oder_id,\n  gmw from dwd_order", scope)
	var refusal *guard.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Len(t, refusal.Diagnostics, 2)
	require.Equal(t, []int{1, 8}, []int{refusal.Line, refusal.Column})
	require.Equal(t, "order_id", refusal.Suggestions[0])
	require.Equal(t, []int{2, 3}, []int{refusal.Diagnostics[1].Line, refusal.Diagnostics[1].Column})
}

const partitioned = `
rules:
  - {name: orders, table: dwd_order, partitions: [grass_date]}
  - {name: rest}
`

func TestRequiredPartitions(t *testing.T) {
	t.Parallel()
	_, scope := fixture(t)
	today := func() time.Time { return time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC) }
	g := guard.New(guard.Config{Clock: today}).Under(guard.Terms{Policy: policyOf(t, partitioned)})
	for sql, allowed := range map[string]bool{
		"select order_id from dwd_order":                                                                                        false,
		"select order_id from dwd_order where gmv > 1":                                                                          false,
		"select order_id from dwd_order where gmv > 1 or grass_date = date '2024-01-01'":                                        false,
		"select order_id from dwd_order where grass_date >= date '2024-01-01'":                                                  true,
		"select order_id from (select * from dwd_order) where grass_date = date '2024-01-01' and gmv > 1":                       true,
		"select name from dim_user":                                                                                             true,
		"select count(*) from dwd_order where grass_date between date '2024-01-01' and date '2024-01-31'":                       true,
		"select count(*) from dwd_order where year(grass_date) = 2024":                                                          true,
		"select count(*) from dwd_order where grass_date >= current_date - interval '7' day":                                    true,
		"select count(*) from dwd_order where grass_date >= current_date - interval '9000' day":                                 false,
		"select count(*) from dwd_order where grass_date is not null":                                                           false,
		"select count(*) from dwd_order where grass_date = grass_date":                                                          false,
		"select count(*) from dwd_order where not grass_date < date '2024-01-01'":                                               true,
		"select count(*) from dwd_order where not grass_date >= date '2024-01-01'":                                              false,
		"select count(*) from dwd_order where grass_date > date '1970-01-01'":                                                   false,
		"select count(*) from dwd_order where grass_date < date '2030-01-01'":                                                   false,
		"select count(*) from dwd_order where grass_date <= current_date":                                                       false,
		"select count(*) from dwd_order where grass_date between date '1970-01-01' and date '2099-12-31'":                       false,
		"select count(*) from dwd_order where grass_date <> date '2024-01-01'":                                                  false,
		"select count(*) from dwd_order where grass_date in (date '2024-01-01', date '2024-01-02')":                             true,
		"select count(*) from dwd_order where date_format(grass_date, '%Y') = '2024'":                                           false,
		"select 'grass_date = 1' x from dwd_order -- where grass_date = date '2024-01-01'":                                      false,
		"with o as (select * from dwd_order) select count(*) from o where grass_date = date '2024-01-01'":                       true,
		"select count(*) from dwd_order a join dwd_order b on a.order_id = b.order_id where a.grass_date = date '2024-01-01'":   false,
		"select count(*) from dwd_order a join dwd_order b on a.grass_date = b.grass_date where a.grass_date = date '2024-1-1'": true,
		"select order_id from dwd_order where grass_date = date '2024-01-01' union all select order_id from dwd_order":          false,
		"select name from dim_user where user_id in (select user_id from dwd_order)":                                            false,
		"select count(*) from dim_user u left join dwd_order o on o.user_id = u.user_id and o.grass_date = date '2024-01-01'":   true,
		"select count(*) from dwd_order o left join dim_user u on o.user_id = u.user_id and o.grass_date = date '2024-01-01'":   false,
	} {
		_, err := g.Approve(t.Context(), alice(), sql, scope)
		if allowed {
			require.NoError(t, err, sql)
			continue
		}
		var refusal *guard.Refusal
		require.ErrorAs(t, err, &refusal, sql)
		require.Equal(t, guard.CodePartitionRequired, refusal.Code)
	}
}

// TestAnyOfThePartitionsThatARuleNamesWillDo: whichever of the columns of a rule is
// restricted, the first of them too, partitions are left out.
func TestAnyOfThePartitionsThatARuleNamesWillDo(t *testing.T) {
	t.Parallel()
	_, scope := fixture(t)
	g := guard.New(guard.Config{}).Under(guard.Terms{Policy: policyOf(t, "rules: [{table: dwd_order, partitions: [grass_date, user_id]}]")})
	for where, allowed := range map[string]bool{
		"grass_date = date '2024-01-01'":                 true,
		"user_id = 7":                                    true,
		"user_id = 7 and grass_date = date '2024-01-01'": true,
		"user_id = 7 or grass_date = date '2024-01-01'":  false,
		"gmv > 1": false,
	} {
		_, err := g.Approve(t.Context(), alice(), "select order_id from dwd_order where "+where, scope)
		if allowed {
			require.NoError(t, err, where)
			continue
		}
		var refusal *guard.Refusal
		require.ErrorAs(t, err, &refusal, where)
		require.Equal(t, guard.CodePartitionRequired, refusal.Code)
		require.Contains(t, refusal.Message, "grass_date or user_id")
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	g, scope := fixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := g.Approve(ctx, alice(), "select 1", scope)
	require.ErrorIs(t, err, context.Canceled)
}

// TestViews: a view reads with its owner's rights, so a rule has to allow it.
func TestViews(t *testing.T) {
	t.Parallel()
	view := catalog.Table{
		Name: catalog.Name{Region: "sg", Schema: "mp_order", Table: "v_salary"}, Kind: catalog.KindView,
		Columns: []catalog.Column{{Name: "amount", Type: "bigint"}},
	}
	shown := view
	shown.Kind = catalog.KindTable // as a catalog that does not tell
	for text, allowed := range map[string]bool{
		"rules: [{name: all}]":                                     false,
		"rules: [{name: all, views: refuse}]":                      false,
		"rules: [{name: all, views: allow}]":                       true,
		"rules: [{table: v_.*, views: allow}, {}]":                 true,
		"rules: [{table: x_.*, views: allow}, {}]":                 false,
		"rules: [{table: v_.*, views: allow, filter: amount = 1}]": true,
	} {
		g := guard.New(guard.Config{}).Under(guard.Terms{Policy: policyOf(t, text), Stored: resolve.NewTables([]catalog.Table{view})})
		for _, seen := range []catalog.Table{view, shown} {
			scope := resolve.Scope{Catalog: resolve.NewTables([]catalog.Table{seen}), DefaultRegion: "sg", DefaultSchema: "mp_order"}
			_, err := g.Approve(t.Context(), alice(), "select amount from v_salary", scope)
			require.Equal(t, allowed, err == nil, "%s: %v", text, err)
			for _, sql := range []string{"select amount from v_salary", "select amont from v_salary", "select * from v_salry", "table v_salary"} {
				if allowed {
					continue
				}
				var refusal *guard.Refusal
				_, err := g.Approve(t.Context(), alice(), sql, scope)
				require.ErrorAs(t, err, &refusal, "%s under %s", sql, text)
				require.Equal(t, string(resolve.TableNotFound), refusal.Code, "%s under %s: whoever may not read a view is told what is told of no view", sql, text)
				require.NotContains(t, err.Error(), "amount", sql)
				require.Empty(t, refusal.Suggestions, sql)
			}
		}
	}
}

// TestWhatTheAskerIsShownAsAViewIsOne: of what the stored catalog has as a table and the
// asker's as a view nobody knows whose rights it reads with.
func TestWhatTheAskerIsShownAsAViewIsOne(t *testing.T) {
	t.Parallel()
	of := func(kind catalog.Kind) *resolve.Tables {
		return resolve.NewTables([]catalog.Table{{
			Name: catalog.Name{Region: "sg", Schema: "mp_order", Table: "salary"}, Kind: kind, Columns: []catalog.Column{{Name: "amount", Type: "bigint"}},
		}})
	}
	for rules, allowed := range map[string]bool{"rules: [{name: all}]": false, "rules: [{name: all, views: allow}]": true} {
		g := guard.New(guard.Config{}).Under(guard.Terms{Policy: policyOf(t, rules), Stored: of(catalog.KindTable)})
		scope := resolve.Scope{Catalog: of(catalog.KindTable), DefaultRegion: "sg", DefaultSchema: "mp_order"}
		_, err := g.Approve(t.Context(), alice(), "select amount from salary", scope)
		require.NoError(t, err, rules)
		scope.Catalog = of(catalog.KindView)
		_, err = g.Approve(t.Context(), alice(), "select amount from salary", scope)
		require.Equal(t, allowed, err == nil, "%s: %v", rules, err)
	}
}
