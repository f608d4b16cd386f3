package app_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/pkg/source"
)

// withBakery puts a small source into the data directory.
func withBakery(t *testing.T, dir string) {
	t.Helper()
	store, err := source.Open(dir)
	require.NoError(t, err)
	_, err = store.Make(t.Context(), "bakery", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		return source.Manifest{Engine: source.EngineDuckDB, DefaultRegion: "bakery", DefaultSchema: "main", Version: "1", Origin: "csv"},
			&catalog.Snapshot{Tables: []catalog.Table{{
				Name: catalog.Name{Region: "bakery", Schema: "main", Table: "bread_sales"}, Description: "bread sold by day", RowCount: 5,
				Columns: []catalog.Column{{Name: "day", Type: "date"}, {Name: "loaves", Type: "bigint", Comment: "loaves sold"}},
			}}}, nil
	})
	require.NoError(t, err)
}

// TestModelIsWired goes from the configuration to the endpoint and back: the key
// of the file is sent, a key that changed counts at once, and the chats are steps
// of the run.
func TestModelIsWired(t *testing.T) {
	t.Parallel()
	endpoint := llmtest.New(t, func(r llmtest.Request) llmtest.Answer {
		if strings.Contains(r.Raw, "You help a search") {
			return llmtest.Answer{Text: `{"versions":["loaves sold"]}`}
		}
		return llmtest.Answer{Text: "Take `bakery.main.bread_sales`."}
	})
	c := testConfig(t)
	keyFile := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(keyFile, []byte("first-key\n"), 0o600))
	c.Source, c.FindData.Config.DefaultSource = "bakery", "bakery"
	c.LLM.APIKeyFile = keyFile
	c.LLM.Config.BaseURL, c.LLM.Config.Model = endpoint.URL, "small"
	c.FindData.Config.Strategy = "llm"
	withBakery(t, c.DataDir)
	find := findatav1.NewFindDataServiceClient(start(t, c, app.FindData).dial())
	ask := func(text string) *findatav1.DiscoverUnaryResponse {
		got, err := find.DiscoverUnary(t.Context(), &findatav1.DiscoverUnaryRequest{Query: &findatav1.DiscoverQuery{UserQuery: text}})
		require.NoError(t, err)
		return got
	}
	got := ask("bread sales")
	require.Equal(t, "Take `bakery.main.bread_sales`.", got.GetResult().GetAnswer())
	require.Equal(t, []string{"loaves sold"}, got.GetResult().GetResultContext().GetReformulations())
	chats := 0
	for _, step := range got.GetTrace().GetRecords() {
		if step.GetName() == "chat small" {
			chats++
			require.Contains(t, step.GetAttributes()["dibrain.prompt"], "findata.")
		}
	}
	require.Equal(t, 2, chats)
	require.NoError(t, os.WriteFile(keyFile, []byte("second-key\n"), 0o600))
	ask("loaves by day")
	sent := endpoint.Requests()
	require.Equal(t, "Bearer first-key", sent[0].Header.Get("Authorization"))
	require.Equal(t, "Bearer second-key", sent[len(sent)-1].Header.Get("Authorization"))

	require.NoError(t, os.Remove(keyFile))
	got = ask("how much bread did we sell?")
	require.Equal(t, "MODEL_FAILED", got.GetResult().GetWarnings()[0].GetCode())
	require.Contains(t, got.GetResult().GetWarnings()[0].GetMessage(), llm.ReasonKeyMissing)
	require.NotContains(t, got.String(), keyFile, "paths are for the log")
	require.NotEmpty(t, got.GetResult().GetRelatedTables())
}

func TestModelSettingsAreVerified(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*config.Config)
		want   string
	}{
		"strategy without a model": {func(c *config.Config) { c.FindData.Config.Strategy = "llm" }, "findata.strategy"},
		"repairs without a model":  {func(c *config.Config) { c.FixSQL.Config.Strategy = "llm" }, "fixsql.strategy"},
		"two keys":                 {func(c *config.Config) { c.LLM.APIKey, c.LLM.APIKeyFile = "k", "f" }, "llm.api_key"},
		"no key file":              {func(c *config.Config) { c.LLM.APIKeyFile = "/nowhere/key" }, "llm.api_key_file"},
	} {
		c := testConfig(t)
		tc.change(&c)
		err := app.Verify(t.Context(), c, []string{app.FindData})
		require.ErrorContains(t, err, tc.want, name)
		require.Contains(t, []string{"CONFIG_INVALID", llm.ReasonKeyMissing}, fault.ReasonOf(err), name)
	}
}
