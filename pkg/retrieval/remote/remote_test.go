package remote_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/remote"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

func TestSecretsAreRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte(" top secret \n"), 0o600))
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, []byte("\n"), 0o600))
	large := filepath.Join(t.TempDir(), "large")
	require.NoError(t, os.WriteFile(large, make([]byte, 100<<10), 0o600))
	t.Setenv("DIBRAIN_TEST_SECRET", "from outside\n")
	t.Setenv("DIBRAIN_TEST_EMPTY", "")
	for _, tc := range []struct {
		secret remote.Secret
		want   string
		err    string
	}{
		{remote.Secret{}, "", ""},
		{remote.Secret{File: file}, "top secret", ""},
		{remote.Secret{Env: "DIBRAIN_TEST_SECRET"}, "from outside", ""},
		{remote.Secret{File: file, Env: "X"}, "", "set one of them"},
		{remote.Secret{Env: "DIBRAIN_TEST_EMPTY"}, "", "is empty"},
		{remote.Secret{File: empty}, "", "is empty"},
		{remote.Secret{File: large}, "", "larger than"},
		{remote.Secret{File: "/nowhere"}, "", "read the secret"},
	} {
		got, err := tc.secret.Read()
		require.Equal(t, tc.want, got)
		if tc.err == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, tc.err)
		require.NotContains(t, err.Error(), "top secret")
	}
}

func TestNamesOfGenerations(t *testing.T) {
	t.Parallel()
	n := remote.Names{Prefix: "dibrain", Separator: "__"}
	name := n.Generation("shop", 255)
	require.Equal(t, "dibrain__shop__00000000000000ff", name)
	require.Equal(t, "dibrain__shop", n.Alias("shop"))
	require.True(t, n.IsGeneration("shop", name))
	for _, other := range []string{
		"dibrain__shop", "dibrain__shop__", "dibrain__shop__00000000000000fg", "dibrain__shop__2__00000000000000ff", "dibrain__shops__00000000000000ff",
		"x__shop__00000000000000ff",
	} {
		require.False(t, n.IsGeneration("shop", other), other)
	}
	for name, plain := range map[string]bool{"shop_2": true, "": false, "2shop": false, "Shop": false, "a-b": false, "a*": false, "a.b": false} {
		require.Equal(t, plain, remote.IsPlain(name), name)
	}
}

// Every change of content or settings is another generation.
func TestFingerprints(t *testing.T) {
	t.Parallel()
	docs := func(label, name, text string) remote.Print {
		d, err := lexical.NewDocuments([]string{"name", "text"}, 0)
		require.NoError(t, err)
		d.Add(lexical.Labels{Schema: label}, [][]int32{{d.Intern(name)}, {d.Intern(text)}})
		return remote.PrintOfDocuments(d, "s")
	}
	seen := map[remote.Print]bool{}
	for _, p := range []remote.Print{
		docs("a", "x", "y"), docs("b", "x", "y"), docs("a", "y", "x"), docs("a", "xy", ""),
		remote.PrintOfVectors(vector.Set{Dim: 2, Data: []float32{1, 2}}, "s"),
		remote.PrintOfVectors(vector.Set{Dim: 1, Data: []float32{1, 2}}, "s"),
		remote.PrintOfVectors(vector.Set{Dim: 2, Data: []float32{1, 2}}, "t"),
		remote.PrintOfVectors(vector.Set{Dim: 2, Data: []float32{1, 2}, Labels: []lexical.Labels{{Mart: "m"}}}, "s"),
	} {
		require.False(t, seen[p])
		seen[p] = true
	}
	require.Equal(t, docs("a", "x", "y"), docs("a", "x", "y"))
}

// Faults tell people what to do and operators what was said; the caller's own end
// is passed on as it is.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := remote.Server{Name: "Elasticsearch", Key: "findata.search.elasticsearch"}
	said := errors.New("inner words")
	for reason, err := range map[string]error{
		remote.ReasonUnavailable: s.Failed(t.Context(), said),
		remote.ReasonTimeout:     s.Failed(t.Context(), context.DeadlineExceeded),
		remote.ReasonDenied:      s.Denied(said),
		remote.ReasonMissing:     s.Missing(said),
		remote.ReasonRefused:     s.Refused(nil),
	} {
		require.Equal(t, reason, fault.ReasonOf(err))
		require.Contains(t, err.Error(), "Elasticsearch")
		require.NotContains(t, err.Error(), "inner words")
	}
	require.Contains(t, fault.OperatorText(s.Denied(said)), "inner words")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.Failed(ctx, said), context.Canceled)
	require.Empty(t, fault.ReasonOf(s.Failed(ctx, said)))
}
