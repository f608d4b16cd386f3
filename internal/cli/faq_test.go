package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQuestionsToDocuments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "desk"), 0o700))
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("collections.yaml", "collections: [{name: desk, path: desk, product: Desk, url: 'https://x.example.com'}]")
	write("desk/a.md", "---\nupdated: 2025-02-03\n---\n# Desk\n\n## Badges\nA lost badge is replaced at the desk.\n\n## Price of a badge\nA badge costs two euros.\n")
	write("desk/b.pdf", "no PDF")
	env := []string{"DIBRAIN_DATA_DIR=" + filepath.Join(dir, "data"), "DIBRAIN_KNOWLEDGE_COLLECTIONS_FILE=" + filepath.Join(dir, "collections.yaml")}

	r := execute(t, env, "faq", "--collection", "desk", "where is a lost badge replaced?")
	require.Equal(t, "A lost badge is replaced at the desk.\n\n[1] a.md, Desk › Badges, 2025-02-03\n    https://x.example.com/a.md#badges\n", r.out, r.err)
	require.Zero(t, r.code)
	r = execute(t, env, "faq", "how do I add a metric?")
	require.Contains(t, r.out, "[1] faq.md, Questions and answers › How do I add a metric?", "this project's own pages are there: %s", r.err)
	r = execute(t, env, "faq", "--json", "how do I bake bread?")
	require.NotContains(t, r.out, `"answered"`)
	require.Contains(t, r.out, "The documents do not answer this.")

	r = execute(t, env, "expert", "--product", "Desk", "--session", "s1", "where is a lost badge replaced?")
	require.Contains(t, r.out, "at the desk.", r.err)
	require.Contains(t, r.out, "go on with: --session s1")
	r = execute(t, env, "expert", "--json", "--session", "s1", "and what does it cost?")
	require.Contains(t, r.out, "two euros", r.err)
	r = execute(t, env, "expert", "--product", "Fax", "hello there printer")
	require.Contains(t, r.err, "The products are: DI-Brain, Desk.")
	require.Equal(t, exitInput, r.code)

	r = execute(t, env, "documents", "list", "--collection", "desk")
	require.Contains(t, r.out, "a.md")
	require.Contains(t, r.out, "the file is damaged")
	r = execute(t, env, "documents", "ingest", "desk")
	require.Equal(t, "desk: 2 documents, 2 passages, 1 unreadable\n", r.out, r.err)
}
