package lab

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGroupsRefuseWordsThatTheyDoNotKnow: a word that is none of a group's commands ends with code 2, and one that is
// nearly one is told what was meant.
func TestGroupsRefuseWordsThatTheyDoNotKnow(t *testing.T) {
	t.Parallel()
	for group, near := range map[string][2]string{"text2sql": {"trian", "train"}, "findata": {"histroy", "history"}} {
		got := execute(t, nil, group, "zzzzzz")
		require.Equal(t, 2, got.code, "%s%s", got.out, got.err)
		require.Contains(t, got.err, `unknown command "zzzzzz" for "dibrain-lab `+group+`"`)
		got = execute(t, nil, group, near[0])
		require.Equal(t, 2, got.code)
		require.Contains(t, got.err, near[1])
	}
}
