package knowledge_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/knowledge"
)

// TestFilesOfAConfigMapAreRead: Kubernetes mounts files as links into a folder that a
// link names, and changes them by swapping that link.
func TestFilesOfAConfigMapAreRead(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, handbook)
	l.write("handbook/..2026_01/badges.md", "# Badges\nA lost badge is replaced at the desk.\n")
	l.write("handbook/..2026_02/badges.md", "# Badges\nA lost badge is replaced at the gate, not at the desk.\n")
	l.write("secret.md", "# Payroll\nThe payroll password is swordfish.\n")
	at := func(name string) string { return filepath.Join(l.dir, "handbook", name) }
	require.NoError(t, os.Symlink("..2026_01", at("..data")))
	require.NoError(t, os.Symlink("..data/badges.md", at("badges.md")))
	require.NoError(t, os.Symlink("../secret.md", at("out.md")))
	require.NoError(t, os.Symlink(".", at("loop")))
	require.NoError(t, os.Symlink("self.md", at("self.md")))

	require.Equal(t, "A lost badge is replaced at the desk.", l.ask("where is a lost badge replaced?").Text)
	require.NotContains(t, l.ask("what is the payroll password?").Text, "swordfish", "no link leads out of the folder")

	require.NoError(t, os.Symlink("..2026_02", at("..new")))
	require.NoError(t, os.Rename(at("..new"), at("..data")))
	l.pass(time.Minute)
	require.Eventually(t, func() bool {
		l.pass(time.Minute)
		return l.ask("where is a lost badge replaced?").Text == "A lost badge is replaced at the gate, not at the desk."
	}, hangs, 5*time.Millisecond)
}

// TestALargeFileIsToldAndLeftOut: with the default limits, 100 MB.
func TestALargeFileIsToldAndLeftOut(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, handbook)
	l.write("handbook/badges.md", "# Badges\nA lost badge is replaced at the desk.\n")
	l.write("handbook/huge.txt", "x")
	require.NoError(t, os.Truncate(filepath.Join(l.dir, "handbook", "huge.txt"), 100<<20))
	require.Equal(t, "A lost badge is replaced at the desk.", l.ask("where is a lost badge replaced?").Text)
	list, _, err := l.service.Documents(t.Context(), alice, knowledge.Listing{Size: 10})
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Contains(t, list[1].Problem, "it has 104857600 bytes, and at most 16777216 are read")
}
