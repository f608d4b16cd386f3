package parser_test

import (
	"strings"
	"testing"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// twentyLines is a query as people write them.
const twentyLines = `-- buyers that came back, by month
WITH orders AS (
  SELECT o.buyer_id, o.order_id, o.grass_date, o.gmv, o.status
  FROM sg.mp_order.dwd_order_daily o
  WHERE o.grass_date BETWEEN DATE '2024-01-01' AND DATE '2024-03-31'
    AND o.status IN ('PAID', 'SHIPPED', 'COMPLETED')
    AND o.grass_region = 'SG'
), firsts AS (
  SELECT buyer_id, min(grass_date) AS first_date, count(DISTINCT order_id) AS orders
  FROM orders GROUP BY buyer_id HAVING count(*) > 1
)
SELECT date_trunc('month', o.grass_date) AS month,
  u.segment,
  count(DISTINCT o.buyer_id) AS buyers,
  sum(CASE WHEN o.grass_date > f.first_date THEN o.gmv ELSE 0 END) AS gmv_again,
  round(100.0 * sum(o.gmv) / nullif(sum(sum(o.gmv)) OVER (PARTITION BY u.segment), 0), 2) AS share
FROM orders o
JOIN firsts f ON f.buyer_id = o.buyer_id
LEFT JOIN sg.mp_user.dim_user u ON u.user_id = o.buyer_id AND u.grass_date = DATE '2024-03-31'
GROUP BY 1, 2
ORDER BY month, gmv_again DESC
LIMIT 100`

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parser.Parse(twentyLines); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRewrite is the way of a guarded query: read, changed in one place,
// written.
func BenchmarkRewrite(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		stmt, err := parser.Parse(twentyLines)
		if err != nil {
			b.Fatal(err)
		}
		out, err := tree.Rewrite(stmt, func(n tree.Node) tree.Node {
			if l, ok := n.(*tree.Limit); ok && l != nil {
				return tree.LimitTo(10)
			}
			return n
		})
		if err != nil {
			b.Fatal(err)
		}
		if text := printer.Print(out); !strings.HasSuffix(text, "LIMIT 10") {
			b.Fatal(text)
		}
	}
}

func BenchmarkNested(b *testing.B) {
	text := "select " + strings.Repeat("(", 490) + "1" + strings.Repeat(")", 490)
	for b.Loop() {
		if _, err := parser.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMistake is the way of a statement with a mistake at its end: the
// grammar finds the place.
func BenchmarkMistake(b *testing.B) {
	for b.Loop() {
		if _, err := parser.Parse(twentyLines + " OFFSET 5"); err == nil {
			b.Fatal("no mistake found")
		}
	}
}
