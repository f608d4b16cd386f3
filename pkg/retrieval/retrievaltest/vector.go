package retrievaltest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

// BuildVector makes the index under test, which ends with the test.
type BuildVector func(t *testing.T, set vector.Set) vector.Index

// Ability says what a vector index cannot do exactly.
type Ability struct {
	// Recall is the share of the truly nearest ten documents that a search among
	// many finds; 1 for an exact index.
	Recall float64
}

// Vector runs the suite of vector.Index.
func Vector(t *testing.T, ability Ability, build BuildVector) {
	t.Helper()
	s := vectorSuite{build: build, ability: ability}
	for name, test := range map[string]func(*testing.T){
		"ranking": s.ranking, "filters": s.filters, "keep": s.keep, "limit": s.limit, "nothing": s.nothing,
		"distance": s.distance, "small": s.small, "large": s.large, "at once": s.atOnce, "cancel": s.cancel,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

type vectorSuite struct {
	build   BuildVector
	ability Ability
}

// closeTo is how exact scores are.
const closeTo = 1e-4

func nearest(t *testing.T, x vector.Index, q vector.Query) []vector.Hit {
	t.Helper()
	hits, err := x.Search(t.Context(), q)
	require.NoError(t, err)
	require.True(t, slices.IsSortedFunc(hits, vector.Compare), "nearest first, of equal ones the lower document first: %v", hits)
	return hits
}

func documentsOf(hits []vector.Hit) []int {
	list := make([]int, len(hits))
	for i, h := range hits {
		list[i] = h.Doc
	}
	return list
}

// angles places documents on a circle, by degrees.
func angles(degrees ...float64) vector.Set {
	set := vector.Set{Dim: 2}
	for n, d := range degrees {
		length := float64(n + 1) // the length of a vector does not count
		set.Data = append(set.Data, float32(length*math.Cos(d*math.Pi/180)), float32(length*math.Sin(d*math.Pi/180)))
	}
	set.Labels = make([]lexical.Labels, len(degrees))
	return set
}

var east = []float32{3, 0}

func (s vectorSuite) ranking(t *testing.T) {
	x := s.build(t, angles(90, 10, 180, 30, -30, 0))
	hits := nearest(t, x, vector.Query{Vector: east, Limit: 10})
	require.Len(t, hits, 6)
	want := []int{5, 1, 3, 4, 0, 2}
	got := documentsOf(hits)
	slices.Sort(got[2:4]) // rounding may tell 30 degrees from -30
	require.Equal(t, want, got)
	for i, degrees := range []float64{0, 10, 30, 30, 90, 180} {
		require.InDelta(t, math.Cos(degrees*math.Pi/180), hits[i].Score, closeTo)
	}
	// Equal vectors come in the order of their numbers.
	same := s.build(t, vector.Set{Dim: 2, Data: slices.Repeat([]float32{1, 1}, 8)})
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7}, documentsOf(nearest(t, same, vector.Query{Vector: east, Limit: 10})))
}

func (s vectorSuite) filters(t *testing.T) {
	set := angles(0, 5, 10, 15, 20, 25)
	set.Labels = []lexical.Labels{
		{Region: "SG", Schema: "mp_order", Mart: "Order"},
		{Region: "US", Schema: "mp_order", Mart: "Order"},
		{Region: "SG", Schema: "spx", Mart: "SPX Mart"},
		{Region: "SG"},
		{},
		{Region: `o'brien "x"`, Schema: `back\slash`, Mart: "订单 集市"},
	}
	x := s.build(t, set)
	for _, tc := range []struct {
		filter lexical.Filter
		want   []int
	}{
		{lexical.Filter{}, []int{0, 1, 2, 3, 4, 5}},
		{lexical.Filter{Regions: []string{"sg"}}, []int{0, 2, 3}},
		{lexical.Filter{Regions: []string{"us", "SG"}, Marts: []string{"order"}}, []int{0, 1}},
		{lexical.Filter{Regions: []string{"SG"}, Schemas: []string{"MP_ORDER"}, Marts: []string{"Order"}}, []int{0}},
		{lexical.Filter{Marts: []string{"spx mart"}}, []int{2}},
		{lexical.Filter{Schemas: []string{"%"}}, []int{}},
		{lexical.Filter{Regions: []string{`O'Brien "x"`}}, []int{5}},
		{lexical.Filter{Schemas: []string{`back\slash`}, Marts: []string{"订单 集市"}}, []int{5}},
		{lexical.Filter{Regions: []string{`x"] or doc >= 0 or region in ["`}}, []int{}},
		{lexical.Filter{Regions: []string{"BR"}}, []int{}},
	} {
		hits := nearest(t, x, vector.Query{Vector: east, Filter: tc.filter, Limit: 10})
		assert.Equal(t, tc.want, documentsOf(hits), "%+v", tc.filter)
	}
	hits := nearest(t, x, vector.Query{
		Vector: east, Filter: lexical.Filter{Regions: []string{"SG"}}, Limit: 1, Keep: func(n int) bool { return n > 2 },
	})
	require.Equal(t, []int{3}, documentsOf(hits), "what is kept among what is filtered")
}

// keep: what is not kept costs nobody a place, however far away the kept ones are.
func (s vectorSuite) keep(t *testing.T) {
	const size = 600
	degrees := make([]float64, size)
	for n := range degrees {
		degrees[n] = float64(n) / 4
	}
	x := s.build(t, angles(degrees...))
	last := nearest(t, x, vector.Query{Vector: east, Limit: 5, Keep: func(n int) bool { return n >= size-5 }})
	require.Equal(t, []int{595, 596, 597, 598, 599}, documentsOf(last))
	require.Empty(t, nearest(t, x, vector.Query{Vector: east, Limit: 5, Keep: func(int) bool { return false }}))
}

func (s vectorSuite) limit(t *testing.T) {
	degrees := make([]float64, 30)
	for n := range degrees {
		degrees[n] = float64(n)
	}
	x := s.build(t, angles(degrees...))
	for limit, want := range map[int]int{-1: 0, 0: 0, 1: 1, 7: 7, 30: 30, 1_000_000: 30} {
		hits := nearest(t, x, vector.Query{Vector: east, Limit: limit})
		require.Len(t, hits, want)
		for i, h := range hits {
			require.Equal(t, i, h.Doc)
		}
	}
}

// nothing: a vector of zeros has no direction and finds nothing, and a document
// with one is not found; another dimension is an error.
func (s vectorSuite) nothing(t *testing.T) {
	set := angles(0, 10, 20)
	set.Data[2], set.Data[3] = 0, 0
	x := s.build(t, set)
	require.Empty(t, nearest(t, x, vector.Query{Vector: []float32{0, 0}, Limit: 5}))
	require.Equal(t, []int{0, 2}, documentsOf(nearest(t, x, vector.Query{Vector: east, Limit: 5})))
	for _, wrong := range [][]float32{nil, {1}, {1, 0, 0}} {
		_, err := x.Search(t.Context(), vector.Query{Vector: wrong, Limit: 5})
		require.ErrorContains(t, err, "dimensions")
	}
}

func (s vectorSuite) distance(t *testing.T) {
	x := s.build(t, angles(0, 30, 59, 61, 90, 180))
	hits := nearest(t, x, vector.Query{Vector: east, Limit: 10, MaxDistance: 1}) // 60 degrees
	require.Equal(t, []int{0, 1, 2}, documentsOf(hits))
	require.Len(t, nearest(t, x, vector.Query{Vector: east, Limit: 10, MaxDistance: 4.01}), 6)
}

func (s vectorSuite) small(t *testing.T) {
	none := s.build(t, vector.Set{Dim: 2})
	require.Empty(t, nearest(t, none, vector.Query{Vector: east, Limit: 5}))
	one := s.build(t, vector.Set{Dim: 2, Data: []float32{2, 0}})
	hits := nearest(t, one, vector.Query{Vector: east, Limit: 5})
	require.Equal(t, []int{0}, documentsOf(hits))
	require.InDelta(t, 1, hits[0].Score, closeTo)
}

// large: among 5,000 documents of 64 dimensions the nearest ten, with and without
// a filter.
func (s vectorSuite) large(t *testing.T) {
	const dim, schemas, questions = 64, 10, 200
	random := rand.New(rand.NewPCG(5, 6))
	set := vector.Set{Dim: dim, Data: make([]float32, largeSize*dim), Labels: make([]lexical.Labels, largeSize)}
	for i := range set.Data {
		set.Data[i] = float32(random.NormFloat64())
	}
	for n := range set.Labels {
		set.Labels[n].Schema = fmt.Sprint("s", n%schemas)
	}
	x := s.build(t, set)
	exact, err := vector.NewFlat(vector.FlatConfig{}, set)
	require.NoError(t, err)
	for _, filter := range []lexical.Filter{{}, {Schemas: []string{"s3"}}} {
		found, all := 0, 0
		for range questions {
			q := vector.Query{Vector: make([]float32, dim), Limit: 10, Filter: filter}
			near := set.Row(random.IntN(largeSize))
			for i := range q.Vector {
				q.Vector[i] = near[i] + float32(random.NormFloat64())
			}
			want := documentsOf(nearest(t, exact, q))
			for _, h := range nearest(t, x, q) {
				if slices.Contains(want, h.Doc) {
					found++
				}
			}
			all += len(want)
		}
		require.GreaterOrEqual(t, float64(found)/float64(all), s.ability.Recall, "recall with filter %v", filter)
	}
}

func (s vectorSuite) atOnce(t *testing.T) {
	degrees := make([]float64, 90)
	for n := range degrees {
		degrees[n] = float64(n)
	}
	x := s.build(t, angles(degrees...))
	together(func(worker int) {
		for i := range 10 {
			n := (worker*31 + i*7) % len(degrees)
			at := float64(n) * math.Pi / 180
			hits, err := x.Search(t.Context(), vector.Query{Vector: []float32{float32(math.Cos(at)), float32(math.Sin(at))}, Limit: 3})
			if assert.NoError(t, err) && assert.Len(t, hits, 3) {
				assert.Equal(t, n, hits[0].Doc)
			}
		}
	})
}

func (s vectorSuite) cancel(t *testing.T) {
	x := s.build(t, angles(0, 10))
	_, err := x.Search(cancelled(t), vector.Query{Vector: east, Limit: 3})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, nearest(t, x, vector.Query{Vector: east, Limit: 3}), 2, "the index outlives a cancelled search")
}
