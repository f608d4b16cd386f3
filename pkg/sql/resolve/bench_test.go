package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// twenty is a query of twenty lines as people write them.
const twenty = `with spend as (
  select o.custkey, date_trunc('month', o.orderdate) as month_start,
    sum(l.extendedprice * (1 - l.discount)) as revenue,
    count(distinct o.orderkey) as orders
  from orders o
  join lineitem l on l.orderkey = o.orderkey
  where o.orderdate >= date '1995-01-01' and o.orderdate < date '1996-01-01'
    and l.returnflag <> 'R'
  group by o.custkey, date_trunc('month', o.orderdate)
)
select n.name as nation, s.month_start, c.mktsegment,
  sum(s.revenue) as revenue, sum(s.orders) as orders,
  round(100e0 * sum(s.revenue) / sum(sum(s.revenue)) over (partition by s.month_start), 2) as share,
  rank() over (partition by s.month_start order by sum(s.revenue) desc) as place
from spend s
join customer c on c.custkey = s.custkey
join nation n on n.nationkey = c.nationkey
where n.name like 'A%' or coalesce(c.comment, '') <> ''
group by n.name, s.month_start, c.mktsegment
having sum(s.revenue) > 1000
order by month_start, place limit 100`

func BenchmarkResolve(b *testing.B) {
	stmt, err := parser.Parse(twenty)
	require.NoError(b, err)
	scope := trino(b)
	_, found := resolve.Resolve(stmt, scope)
	require.Empty(b, found)
	b.ReportAllocs()
	for b.Loop() {
		resolve.Resolve(stmt, scope)
	}
}
