package retrieval_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
)

// benchWords are what the tables of benchmarks are about.
var benchWords = strings.Fields(`order item seller buyer payment refund parcel courier warehouse stock voucher campaign click session search visit
	review chat ticket agent invoice contract employee salary office asset loan account branch policy claim driver vehicle route station sensor
	patient visit_note drug lab_result course student exam library book author event booking hotel flight airport city country region customer
	product category brand price discount supplier shipment return delivery status type amount quantity date time channel device version language`)

// largeWarehouse has n tables of 15 columns each; a third are near twins.
func largeWarehouse(n int) *catalog.Snapshot {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string { return benchWords[random.IntN(len(benchWords))] }
	s := &catalog.Snapshot{Tables: make([]catalog.Table, 0, n)}
	for i := range n {
		t := catalog.Table{
			Name:        catalog.Name{Region: "SG", Schema: fmt.Sprintf("%s_mart_%d", word(), random.IntN(8)), Table: fmt.Sprintf("dwd_%s_%s_%s%d", word(), word(), word(), i/3)},
			Description: fmt.Sprintf("%s of each %s by %s", word(), word(), word()),
		}
		if i%3 > 0 && len(s.Tables) > 0 {
			before := s.Tables[len(s.Tables)-1]
			t.Name = catalog.Name{Region: "SG", Schema: before.Name.Schema, Table: before.Name.Table + []string{"", "_br", "_df"}[i%3]}
		}
		for range 15 {
			t.Columns = append(t.Columns, catalog.Column{Name: word() + "_" + word(), Type: "varchar"})
		}
		s.Tables = append(s.Tables, t)
	}
	return s
}

// BenchmarkCandidates is a question over 50,000 tables, until the features of its
// candidates are there.
func BenchmarkCandidates(b *testing.B) {
	x := build(b, largeWarehouse(50_000))
	questions := []string{
		"how many parcels did each courier deliver by city last month", "refunds of orders in Brazil by seller", "average salary of employees per office",
		"每个城市的订单数量", "which students booked a hotel near the airport", "daily stock quantity of items by warehouse and brand",
	}
	for i := 0; b.Loop(); i++ {
		list, err := x.Candidates(b.Context(), x.Parse(questions[i%len(questions)], nil), nil)
		require.NoError(b, err)
		require.NotEmpty(b, list)
	}
}

// BenchmarkBuild makes a corpus of 10,000 tables.
func BenchmarkBuild(b *testing.B) {
	index := catalog.NewIndex(largeWarehouse(10_000), catalog.Defaults{})
	cfg, err := retrieval.DefaultConfig()
	require.NoError(b, err)
	for b.Loop() {
		x, err := retrieval.Build(b.Context(), cfg, index, nil)
		require.NoError(b, err)
		require.NoError(b, x.Close())
	}
}
