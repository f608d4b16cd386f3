package milvus_test

import (
	"context"
	"math"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/milvus"
	"github.com/dibrain/dibrain/pkg/retrieval/remote"
	"github.com/dibrain/dibrain/pkg/retrieval/retrievaltest"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

// circle has documents one after the other on a quarter of a circle.
func circle(size int, from float64) vector.Set {
	set := vector.Set{Dim: 2, Labels: make([]lexical.Labels, size)}
	for n := range size {
		at := from + math.Pi/2*float64(n)/float64(size)
		set.Data = append(set.Data, float32(math.Cos(at)), float32(math.Sin(at)))
		set.Labels[n].Schema = []string{"even", "odd"}[n%2]
	}
	return set
}

func build(t *testing.T, c *milvus.Client, source string, set vector.Set) (x *milvus.Index, sent int) {
	t.Helper()
	x, err := c.Build(t.Context(), source, set, func(done, _ int) { sent = done })
	require.NoError(t, err)
	return x, sent
}

func nearest(t *testing.T, x vector.Index, q vector.Query) []int {
	t.Helper()
	q.Vector = []float32{2, 0}
	hits, err := x.Search(t.Context(), q)
	require.NoError(t, err)
	docs := make([]int, len(hits))
	for i, h := range hits {
		docs[i] = h.Doc
	}
	return docs
}

// A new generation is built beside the old one, which its readers go on with; the
// generation before the last is dropped, and content that is there is not sent
// again.
func TestGenerations(t *testing.T) {
	c := open(t, milvus.Config{})
	t.Cleanup(func() {
		for _, source := range []string{"shop", "shop__2"} {
			require.NoError(t, c.Remove(context.Background(), source))
		}
	})
	other, _ := build(t, c, "shop__2", circle(3, 0))
	first, sent := build(t, c, "shop", circle(10, 0))
	require.Equal(t, 10, sent)
	again, sent := build(t, c, "shop", circle(10, 0))
	require.Equal(t, first.Name(), again.Name())
	require.Zero(t, sent, "the same content is not sent again")

	second, _ := build(t, c, "shop", circle(4, 0))
	require.NotEqual(t, first.Name(), second.Name())
	require.Len(t, nearest(t, first, vector.Query{Limit: 20}), 10, "readers of the old generation go on")
	require.Len(t, nearest(t, second, vector.Query{Limit: 20}), 4)

	third, _ := build(t, c, "shop", circle(5, 0.1))
	require.Len(t, nearest(t, second, vector.Query{Limit: 20}), 4)
	_, err := first.Search(t.Context(), vector.Query{Vector: []float32{1, 0}, Limit: 1})
	require.Equal(t, remote.ReasonMissing, fault.ReasonOf(err), "the generation before the last is gone: %v", err)

	require.NoError(t, c.Remove(t.Context(), "shop"))
	_, err = third.Search(t.Context(), vector.Query{Vector: []float32{1, 0}, Limit: 1})
	require.Equal(t, remote.ReasonMissing, fault.ReasonOf(err))
	require.Len(t, nearest(t, other, vector.Query{Limit: 20}), 3, "a source whose name begins alike is left alone")
	// What was removed can come again under the same names.
	back, _ := build(t, c, "shop", circle(5, 0.1))
	require.Equal(t, third.Name(), back.Name())
	require.Equal(t, []int{0, 1}, nearest(t, back, vector.Query{Limit: 2}))
}

// A collection of the right name with other documents than it was given, however it came
// to them, and one that is not loaded are mended when the generation is asked for.
func TestWhatIsNotWholeIsMended(t *testing.T) {
	c := open(t, milvus.Config{})
	t.Cleanup(func() { require.NoError(t, c.Remove(context.Background(), "shop")) })
	x, _ := build(t, c, "shop", circle(10, 0))
	sdk, err := client.NewClient(t.Context(), client.Config{Address: retrievaltest.Server(t, variable, "milvus-start")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sdk.Close()) })

	require.NoError(t, sdk.ReleaseCollection(t.Context(), x.Name()))
	_, err = x.Search(t.Context(), vector.Query{Vector: []float32{1, 0}, Limit: 1})
	require.Equal(t, remote.ReasonMissing, fault.ReasonOf(err), "who guards the list has it made again: %v", err)
	x, sent := build(t, c, "shop", circle(10, 0))
	require.Zero(t, sent, "it is loaded, and not sent again")
	require.Len(t, nearest(t, x, vector.Query{Limit: 20}), 10)

	one := []string{"other"}
	_, err = sdk.Insert(t.Context(), x.Name(), "", entity.NewColumnInt64("doc", []int64{99}), entity.NewColumnFloatVector("direction", 2, [][]float32{{1, 0}}),
		entity.NewColumnVarChar("region", one), entity.NewColumnVarChar("schema_name", one), entity.NewColumnVarChar("mart", one))
	require.NoError(t, err)
	x, _ = build(t, c, "shop", circle(10, 0))
	require.Len(t, nearest(t, x, vector.Query{Limit: 20}), 10)
	n, err := x.Count(t.Context())
	require.NoError(t, err)
	require.Equal(t, 10, n)
}

// All kinds of indices and metrics rank alike.
func TestKinds(t *testing.T) {
	for _, tc := range []struct{ index, metric string }{
		{"HNSW", "COSINE"}, {"IVF_FLAT", "L2"}, {"SCANN", "IP"}, {"FLAT", "COSINE"},
	} {
		t.Run(tc.index+" "+tc.metric, func(t *testing.T) {
			t.Parallel()
			c := open(t, milvus.Config{Index: tc.index, Metric: tc.metric})
			t.Cleanup(func() { require.NoError(t, c.Remove(context.Background(), "shop")) })
			x, _ := build(t, c, "shop", circle(300, 0))
			require.Equal(t, []int{0, 1, 2}, nearest(t, x, vector.Query{Limit: 3}))
			require.Equal(t, []int{1, 3}, nearest(t, x, vector.Query{Limit: 2, Filter: lexical.Filter{Schemas: []string{"Odd"}}}))
			require.Len(t, nearest(t, x, vector.Query{Limit: 300, MaxDistance: 0.58}), 150, "within 45 degrees")
			require.Len(t, nearest(t, x, vector.Query{Limit: 300, Effort: vector.Effort{EF: 10, NProbe: 1500, ReorderK: 5}}), 300)
		})
	}
}

func TestNobodyListens(t *testing.T) {
	t.Parallel()
	c, err := milvus.Open(t.Context(), milvus.Config{Address: "127.0.0.1:1", BuildTimeout: 300 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	_, err = c.Build(t.Context(), "shop", circle(3, 0), nil)
	require.Contains(t, []string{remote.ReasonUnavailable, remote.ReasonTimeout}, fault.ReasonOf(err))
	require.NotZero(t, fault.FromStatus(err).RetryAfter)
}

// A server that takes connections and says nothing ends at the time-out, and at
// the caller's own end.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, silent.Close()) })
	c, err := milvus.Open(t.Context(), milvus.Config{Address: silent.Addr().String(), BuildTimeout: 50 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	_, err = c.Build(t.Context(), "shop", circle(3, 0), nil)
	require.Equal(t, remote.ReasonTimeout, fault.ReasonOf(err), "%v", err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = c.Build(ctx, "shop", circle(3, 0), nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*milvus.Config){
		"milvus.address": func(c *milvus.Config) { c.Address = "nowhere" },
		"milvus.index":   func(c *milvus.Config) { c.Index = "ANNOY" },
		"milvus.metric":  func(c *milvus.Config) { c.Metric = "HAMMING" },
		"milvus.prefix":  func(c *milvus.Config) { c.Prefix = "a-b" },
		"are both set":   func(c *milvus.Config) { c.User, c.APIKey.Env = "u", "X" },
		"milvus.m is":    func(c *milvus.Config) { c.M = -1 },
		"milvus.timeout": func(c *milvus.Config) { c.Timeout = -1 },
		"milvus.password": func(c *milvus.Config) {
			c.User, c.Password.File = "u", filepath.Join(t.TempDir(), "none")
		},
		"milvus.tls": func(c *milvus.Config) {
			c.Encrypted, c.TLS.CAFile = true, filepath.Join(t.TempDir(), "empty")
			require.NoError(t, os.WriteFile(c.TLS.CAFile, nil, 0o600))
		},
		"effort default": func(c *milvus.Config) { c.Efforts.Default.EF = 100_000 },
	} {
		cfg := milvus.Config{Address: "127.0.0.1:19530"}
		change(&cfg)
		_, err := milvus.Open(t.Context(), cfg)
		require.ErrorContains(t, err, want)
	}
}
