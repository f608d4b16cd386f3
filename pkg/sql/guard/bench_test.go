package guard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// benchQuery has twenty lines, as an analyst writes them.
const benchQuery = `with daily as (
  select
    o.grass_date,
    o.user_id,
    sum(o.gmv) as gmv,
    count(distinct o.order_id) as orders
  from sg.mp_order.dwd_order o
  join sg.mp_order.dim_user u on u.user_id = o.user_id
  where o.grass_date between date '2024-01-01' and date '2024-03-31'
    and u.name is not null
  group by o.grass_date, o.user_id
)
select
  date_trunc('month', grass_date) as month,
  count(*) as users,
  sum(gmv) / nullif(sum(orders), 0) as basket
from daily
where gmv > (select avg(gmv) from mp_order.dwd_order)
group by 1
order by 1 desc`

// BenchmarkGuard is what approving takes in all; the parts below are what of it
// the parser, the resolver and the printer take. The guard's own share is the
// difference.
func BenchmarkGuard(b *testing.B) {
	_, scope := fixture(b)
	plain := guard.New(guard.Config{})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			_, err := plain.Approve(b.Context(), alice(), benchQuery, scope)
			require.NoError(b, err)
		}
	})
	b.Run("parts", func(b *testing.B) {
		for b.Loop() {
			stmt, err := parser.Parse(benchQuery)
			require.NoError(b, err)
			_, diagnostics := resolve.Resolve(stmt, scope)
			require.Empty(b, diagnostics)
			printer.Print(stmt)
			_, err = parser.Parse(benchQuery) // of what was printed
			require.NoError(b, err)
		}
	})
	const rules = `
rules:
  - {name: orders, table: dwd_order, filter: user_id > 10, columns: [{name: gmv, mask: "0"}]}
  - {name: users, table: dim_user, columns: [{name: name, mask: "'x'"}]}
`
	covered := guard.New(guard.Config{}).Under(guard.Terms{Policy: policyOf(b, rules)})
	b.Run("policy", func(b *testing.B) {
		for b.Loop() {
			_, err := covered.Approve(b.Context(), alice(), benchQuery, scope)
			require.NoError(b, err)
		}
	})
}
