package lexicon

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKin(t *testing.T) {
	t.Parallel()
	l, err := Load()
	require.NoError(t, err)
	require.NoError(t, l.kin.load())
	for _, c := range []struct{ one, other string }{{"norwegian", "norway"}, {"dutch", "netherlands"}, {"foggy", "fog"}, {"sunny", "sun"}, {"brazil", "brazilian"}} {
		require.Contains(t, l.Kin(c.one, false), c.other)
	}
	require.Equal(t, "china", l.Kin("chinese", false)[0], "the commoner sense first")
	require.Contains(t, l.Kin("die", true), "death")
	require.NotContains(t, l.Kin("die", false), "death", "what is done is asked for")
	require.NotContains(t, l.Kin("visit", true), "visitor", "a person is no act")
	require.Empty(t, l.Kin("zorb", true))
}

func TestKinOfABrokenFile(t *testing.T) {
	t.Parallel()
	for _, file := range [][]byte{nil, []byte("no gzip"), pack(t, "a\twindy\n"), pack(t, "x\twindy\twind\n")} {
		require.Error(t, newKin(file).load())
	}
	require.NoError(t, newKin(pack(t, "a\twindy\twind\n")).load())
}
