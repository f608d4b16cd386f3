package cost_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/cost"
)

// TestWhereConditionsGo: a condition reaches each read that it holds for, through WITH,
// set operations, sub-queries, LATERAL, samples and joins, and no other.
func TestWhereConditionsGo(t *testing.T) {
	t.Parallel()
	const all = "everything"
	for sql, want := range map[string][]string{ // of d, by read
		"select 1 from t order by (select max(k) from u where d = date '2024-01-02')":                                                                 {all, "= 2024-01-02"},
		"select (select max(k) from u where d = date '2024-01-02') from t where d = date '2024-01-03'":                                                {"= 2024-01-02", "= 2024-01-03"},
		"select 1 from t group by (k), d having (select max(u.k) from u where u.d = date '2024-01-02') > 1 and d = date '2024-01-03'":                 {"= 2024-01-03", "= 2024-01-02"},
		"with a as (select * from t), b as (select * from a where d = date '2024-01-02') select 1 from b":                                             {"= 2024-01-02"},
		"with a as (select * from t), b as (select * from a where d = date '2024-01-02') select 1 from b, a":                                          {all},
		"with a as (select * from t) select 1 from a where d = date '2024-01-02' union select 1 from a where d = date '2024-01-03'":                   {"one of 2024-01-02, 2024-01-03"},
		"with a as (select * from t) select 1 from a where d = date '2024-01-02' union select 1 from a":                                               {all},
		"with a as (select * from t), b as (select 1 x) select 1 from b":                                                                              {all},
		"with a as (select * from t) select 1 from (with a as (select * from u) select * from a) x where d = date '2024-01-02'":                       {all, "= 2024-01-02"},
		"with a as (select * from t) select 1 from (with b as (select * from u) select * from a) x where d = date '2024-01-02'":                       {"= 2024-01-02", all},
		"with recursive a (d) as (select d from t union all select d from a where d < date '2024-01-02') select 1 from a where d = date '2024-01-03'": {all},
		"with recursive a (d) as (select d from t) select 1 from a where d = date '2024-01-03'":                                                       {all},
		"select 1 from (select d, k from t union corresponding select k, d from u) x where d = date '2024-01-02'":                                     {all, all},
		"table t": {all},
		"with a as (table t) select 1 from a where d = date '2024-01-02'":                                                                {"= 2024-01-02"},
		"select 1 from (table t) x where d = date '2024-01-02'":                                                                          {"= 2024-01-02"},
		"select 1 from (values 1) v (x), t where d = date '2024-01-02'":                                                                  {"= 2024-01-02"},
		"select 1 from t tablesample bernoulli (10) where d = date '2024-01-02'":                                                         {"= 2024-01-02"},
		"select 1 from (t join u on t.k = u.k) where t.d = date '2024-01-02'":                                                            {"= 2024-01-02", all},
		"select 1 from t cross join lateral (select * from u where u.k = t.k) x where x.d = date '2024-01-02'":                           {all, "= 2024-01-02"},
		"select 1 from t cross join unnest(array[1]) x (n) where d = date '2024-01-02'":                                                  {"= 2024-01-02"},
		"select 1 from (select d from t offset 1) x where d = date '2024-01-02'":                                                         {all},
		"select 1 from (select d, rank() over (order by k) n from t) x where d = date '2024-01-02'":                                      {all},
		"select 1 from (select d, (select count(*) from u) n from t) x where d = date '2024-01-02'":                                      {all, "= 2024-01-02"},
		"select 1 from (select d, sum(k) n from t group by d) x where d = date '2024-01-02'":                                             {"= 2024-01-02"},
		"select 1 from (select d, s, sum(k) n from t group by grouping sets ((d), (s))) x where d = date '2024-01-02'":                   {all},
		"select 1 from (select min(d) d from t having count(*) > 1) x where d = date '2024-01-02'":                                       {all},
		"select d from t group by d having d = date '2024-01-02' and count(*) > 1":                                                       {"= 2024-01-02"},
		"select count(*) from t having max(d) = date '2024-01-02'":                                                                       {all},
		"select 1 from (select d from t union all select d from u) x where d = date '2024-01-02'":                                        {"= 2024-01-02", "= 2024-01-02"},
		"select 1 from (select d from t except select d from u) x where d = date '2024-01-02'":                                           {"= 2024-01-02", "= 2024-01-02"},
		"select 1 from t left join u on t.d = u.d where t.d = date '2024-01-02'":                                                         {"= 2024-01-02", "= 2024-01-02"},
		"select 1 from t left join u on t.d = u.d where u.d = date '2024-01-02'":                                                         {all, "= 2024-01-02"},
		"select 1 from t left join u on t.k = u.k where u.d is null":                                                                     {all, all},
		"select 1 from t left join u on t.k = u.k and u.d = date '2024-01-02'":                                                           {all, "= 2024-01-02"},
		"select 1 from t left join u on t.k = u.k and t.d = date '2024-01-02'":                                                           {all, all},
		"select 1 from t right join u on t.k = u.k and u.d = date '2024-01-02'":                                                          {all, all},
		"select 1 from t right join u on t.k = u.k and t.d = date '2024-01-02'":                                                          {"= 2024-01-02", all},
		"select 1 from t right join u on t.k = u.k where t.d is null and u.d = date '2024-01-02'":                                        {all, "= 2024-01-02"},
		"select 1 from t full join u on t.k = u.k where t.d is null":                                                                     {all, all},
		"select 1 from t full join u on t.k = u.k and t.d = u.d where u.d = date '2024-01-02'":                                           {all, "= 2024-01-02"},
		"select 1 from t join u on t.d = u.d and exists (select 1 from t x where x.d = date '2024-01-05') where u.d = date '2024-01-02'": {"= 2024-01-02", "= 2024-01-02", "= 2024-01-05"},
		"select 1 from t a, t b, t c, t e where a.d = b.d and b.d = c.d and c.d = e.d and e.d = date '2024-01-02'":                       {"= 2024-01-02", "= 2024-01-02", "= 2024-01-02", "= 2024-01-02"},
	} {
		var got []string
		for _, read := range cost.Reads(resolved(t, sql), cost.Options{}) {
			got = append(got, read.Domain("D").String())
		}
		if !slices.Equal(want, got) {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	require.Empty(t, cost.Reads(resolved(t, "select 1"), cost.Options{}))
}
