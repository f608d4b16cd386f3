package foreign

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/semantic"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestImports reads each format, compares the layer and what was left out with a
// golden file, and checks that the layer is valid.
func TestImports(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func([]byte) (*semantic.Layer, []Skipped, error){
		"semantic_manifest.json": DBT, "orders.cube.yaml": Cube, "metrics.openmetadata.json": OpenMetadata,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("testdata", name))
			require.NoError(t, err)
			layer, skipped, err := read(text)
			require.NoError(t, err)
			var b bytes.Buffer
			require.NoError(t, semantic.Write(&b, "", layer))
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "x.yaml"), b.Bytes(), 0o600))
			_, problems := semantic.Check(dir, nil)
			require.Empty(t, problems.Errors())
			for _, s := range skipped {
				fmt.Fprintf(&b, "# left out: %s: %s\n", s.What, s.Why)
			}
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				require.NoError(t, os.WriteFile(golden, b.Bytes(), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), b.String())
		})
	}
}

func TestImportsRefuse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		read func([]byte) (*semantic.Layer, []Skipped, error)
		text string
	}{
		"dbt without models": {DBT, `{"metrics": []}`}, "dbt no JSON": {DBT, `x`}, "cube without cubes": {Cube, "views: []"},
		"cube no YAML": {Cube, "cubes: ["}, "openmetadata empty": {OpenMetadata, `{"data": []}`}, "openmetadata no JSON": {OpenMetadata, `]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := c.read([]byte(c.text))
			require.Error(t, err)
		})
	}
}
