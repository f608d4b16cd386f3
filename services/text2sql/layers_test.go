package text2sql_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/text2sql"
)

func admin() context.Context {
	return run.With(context.Background(), run.Context{Principal: run.Principal{ID: "root", Admin: true}})
}

// TestALayerIsReadAgain edits the layer of a source while the service runs.
func TestALayerIsReadAgain(t *testing.T) {
	t.Parallel()
	const metric = "metrics:\n  - {id: a, names: {en: A}, table: s.t, expr: SUM(x)}\n"
	data := t.TempDir()
	store, err := source.Open(data)
	require.NoError(t, err)
	_, err = store.Make(context.Background(), "shop", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		return source.Manifest{Engine: source.EngineDuckDB}, &catalog.Snapshot{}, nil
	})
	require.NoError(t, err)
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	s, err := text2sql.New(text2sql.Config{DefaultSource: "shop"},
		text2sql.Deps{Sources: store, Catalog: &catalogOf{}, DataDir: data, Clock: func() time.Time { return now }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	metrics := func() []string {
		resp, err := s.ListMetrics(askAt(), &text2sqlv1.ListMetricsRequest{})
		require.NoError(t, err)
		var ids []string
		for _, m := range resp.GetMetrics() {
			ids = append(ids, m.GetId())
		}
		return ids
	}
	look := func() *text2sqlv1.GetSemanticLayerStatusResponse {
		resp, err := s.GetSemanticLayerStatus(admin(), &text2sqlv1.GetSemanticLayerStatusRequest{})
		require.NoError(t, err)
		return resp
	}
	require.Empty(t, metrics())
	require.False(t, look().GetLoaded())

	file := filepath.Join(semantic.OwnDir(data, "shop"), "a.yaml")
	edit := func(text string) {
		now = now.Add(time.Minute)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(file, now, now))
	}
	edit(metric)
	require.Equal(t, []string{"a"}, metrics())
	require.Equal(t, now, look().GetReadAt().AsTime())

	edit(metric + "  - {id: b, names: {en: B}, table: s.t, expr: SUM(}\n")
	require.Equal(t, []string{"a"}, metrics(), "the layer before stays in force")
	broken := look()
	require.True(t, broken.GetStale())
	require.True(t, broken.GetLoaded())
	require.Equal(t, "a.yaml", broken.GetProblems()[0].GetFile())
	require.EqualValues(t, 3, broken.GetProblems()[0].GetLine())

	edit(metric + "  - {id: b, names: {en: B}, table: s.t, expr: SUM(y)}\n")
	require.Equal(t, []string{"a", "b"}, metrics())
	require.False(t, look().GetStale())
}

func TestALayersStateIsForAdministrators(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	_, err := s.GetSemanticLayerStatus(askAt(), &text2sqlv1.GetSemanticLayerStatusRequest{})
	require.Equal(t, codes.PermissionDenied, status.Code(err))
	resp, err := s.GetSemanticLayerStatus(admin(), &text2sqlv1.GetSemanticLayerStatusRequest{})
	require.NoError(t, err)
	require.EqualValues(t, 2, resp.GetMetrics())
	_, err = s.GetSemanticLayerStatus(admin(), &text2sqlv1.GetSemanticLayerStatusRequest{Source: "nowhere"})
	require.Error(t, err)
}
