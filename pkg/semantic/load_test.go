package semantic

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoadReadsTheExample(t *testing.T) {
	t.Parallel()
	layer, err := Load("testdata/shop")
	require.NoError(t, err)
	require.Len(t, layer.Metrics, 2)
	gmv := layer.Metrics[0]
	require.Equal(t, "gmv", gmv.ID)
	require.Equal(t, "Order", gmv.Mart)
	require.Equal(t, "成交总额", gmv.Names.ZH)
	require.Equal(t, []string{"tz_type = 'local'"}, gmv.DefaultFilters)
	require.True(t, layer.Joins[0].Declared)
	require.Equal(t, Country{Code: "SG", CID: "sg", Names: Text{EN: "Singapore", ZH: "新加坡"}, Synonyms: []string{"SGP"}}, layer.Countries[0])
}

func TestLoadRefusesHugeFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.yaml"), []byte("# "+strings.Repeat("x", MaxFileBytes)), 0o600))
	_, err := Load(dir)
	require.ErrorContains(t, err, "split it by mart")
}

func TestLoadOfAnEmptyFolderIsEmpty(t *testing.T) {
	t.Parallel()
	layer, err := Load(t.TempDir())
	require.NoError(t, err)
	require.Empty(t, layer.Metrics)
}
