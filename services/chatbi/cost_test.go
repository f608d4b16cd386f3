package chatbi

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/result"
)

// TestGate: what is above a threshold is refused or asked about, a yes settles the
// question and no refusal, and what is not known is decided for itself.
func TestGate(t *testing.T) {
	t.Parallel()
	base := CostConfig{AboveAsk: CostAsk, AskRows: 100, AskBytes: 1000, RefuseRows: 200, RefuseBytes: 2000}
	change := func(f func(*CostConfig)) CostConfig { c := base; f(&c); return c }
	refusing := change(func(c *CostConfig) { c.AboveAsk = CostRefuse })
	allowing := change(func(c *CostConfig) { c.AboveAsk = CostAllow })
	never := change(func(c *CostConfig) { c.AskRows, c.AskBytes, c.RefuseRows, c.RefuseBytes = -1, -1, -1, -1 })
	nothing := change(func(c *CostConfig) { c.AskRows, c.RefuseRows = 0, 0 })
	known := func(rows, bytes int64) Estimate { return Estimate{Rows: rows, Bytes: bytes} }
	unknown := Estimate{Rows: -1, Bytes: -1, Unbounded: true}
	for i, c := range []struct {
		config  CostConfig
		e       Estimate
		engine  string
		first   CostAction
		settled CostAction // after a yes
	}{
		{base, known(100, 1000), "", CostAllow, CostAllow}, {base, known(101, 0), "", CostAsk, CostAllow}, {base, known(0, 1001), "", CostAsk, CostAllow},
		{base, known(200, 2000), "", CostAsk, CostAllow}, {base, known(201, 0), "", CostRefuse, CostRefuse}, {base, known(0, 2001), "", CostRefuse, CostRefuse},
		{base, known(-1, 1001), "", CostAsk, CostAllow}, {base, known(-1, 2001), "", CostRefuse, CostRefuse}, {base, known(-1, 0), "trino", CostAllow, CostAllow},
		{refusing, known(101, 0), "", CostRefuse, CostRefuse}, {refusing, known(100, 0), "", CostAllow, CostAllow}, {allowing, known(101, 0), "", CostAllow, CostAllow},
		{allowing, known(201, 0), "", CostRefuse, CostRefuse}, {never, known(math.MaxInt64, math.MaxInt64), "", CostAllow, CostAllow},
		{nothing, known(1, 0), "", CostRefuse, CostRefuse}, {nothing, known(0, 0), "", CostAllow, CostAllow},
		{base, unknown, "trino", CostAsk, CostAllow}, {base, unknown, "duckdb", CostAllow, CostAllow}, {base, unknown, "", CostAllow, CostAllow},
		{base, Estimate{Rows: 5, Unbounded: true}, "trino", CostAllow, CostAllow},
		{change(func(c *CostConfig) { c.Unknown = CostRefuse }), unknown, "duckdb", CostRefuse, CostRefuse},
		{change(func(c *CostConfig) { c.Unknown = CostAllow }), unknown, "trino", CostAllow, CostAllow},
		{change(func(c *CostConfig) { c.Unknown = CostAsk }), unknown, "duckdb", CostAsk, CostAllow},
	} {
		s := serving(Config{Cost: c.config}, &Service{})
		require.Equal(t, c.first, s.gate(c.e, c.engine, false), i)
		require.Equal(t, c.settled, s.gate(c.e, c.engine, true), i)
		require.Equal(t, c.e.Rows < 0 || c.engine == "" && c.first != CostAllow, s.needsExplain(c.e) && (c.engine == "" || c.e.Rows < 0), i)
	}
}

// TestCostInWords: the numbers of a question or a refusal are those that decided.
func TestCostInWords(t *testing.T) {
	t.Parallel()
	base := CostConfig{AboveAsk: CostAsk, AskRows: 1000, AskBytes: 1 << 20, RefuseRows: 5000, RefuseBytes: 5 << 20}
	refusing := base
	refusing.AboveAsk = CostRefuse
	tables := []catalog.Name{{Region: "sg", Schema: "s", Table: "b"}, {Region: "sg", Schema: "s", Table: "a"}}
	for _, c := range []struct {
		config CostConfig
		e      Estimate
		suffix string
		want   map[string]string
	}{
		{base, Estimate{Rows: -1, Bytes: -1}, "_unknown", map[string]string{"rows": "-1"}},
		{base, Estimate{Rows: 6000, Bytes: -1}, "", map[string]string{"rows": "6,000", "limit": "5,000"}},
		{base, Estimate{Rows: 6000, Bytes: 1 << 20}, "", map[string]string{"rows": "6,000", "limit": "5,000"}},
		{base, Estimate{Rows: 1, Bytes: 1<<20 + 1}, "_bytes", map[string]string{"rows": "1", "bytes": "1 MiB", "limit": "5 MiB"}},
		{base, Estimate{Rows: -1, Bytes: 0}, "_bytes", map[string]string{"rows": "-1", "bytes": "0 B", "limit": "5 MiB"}},
		{refusing, Estimate{Rows: 2000, Bytes: 0}, "", map[string]string{"rows": "2,000", "limit": "1,000"}},
		{refusing, Estimate{Rows: 5000, Bytes: 0}, "", map[string]string{"rows": "5,000", "limit": "1,000"}},
		{refusing, Estimate{Rows: 5001, Bytes: 0}, "", map[string]string{"rows": "5,001", "limit": "5,000"}},
	} {
		s := serving(Config{Cost: c.config}, &Service{})
		args, suffix := s.costArgs(c.e, tables)
		require.Equal(t, c.suffix, suffix)
		c.want["tables"] = "sg.s.a, sg.s.b"
		require.Equal(t, c.want, args)
	}
	for bytes, want := range map[int64]string{
		0: "0 B", 1023: "1,023 B", 1024: "1 KiB", 1536: "1.5 KiB", 1 << 20: "1 MiB", 1<<20 - 1: "1,023.9 KiB", 5 << 30: "5 GiB", 3 << 40: "3 TiB", 2 << 50: "2 PiB", math.MaxInt64: "8,192 PiB",
	} {
		require.Equal(t, want, result.Bytes(bytes))
	}
	for _, c := range []struct {
		total int64
		more  float64
		want  int64
	}{
		{1, 2, 3}, {0, 0, 0}, {-1, 2, -1}, {1, -1, -1}, {0, 1.9, 1}, {5, math.MaxFloat64, math.MaxInt64}, {math.MaxInt64, 0, math.MaxInt64}, {math.MaxInt64 - 4096, 1e6, math.MaxInt64},
	} {
		require.Equal(t, c.want, sum(c.total, c.more))
	}
}
