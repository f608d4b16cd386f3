package notices_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/notices"
)

// TestNoticesAreThoseOfGoMod: versions are those that are required today (CI makes the
// files again and compares them whole), and what is no module of Go is there too.
func TestNoticesAreThoseOfGoMod(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	required := make(map[string]string)
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`).FindAllStringSubmatch(string(mod), -1) {
		required[m[1]] = m[2]
	}
	var bill struct {
		BOMFormat  string `json:"bomFormat"`
		Components []struct {
			Type, Name, Version, PURL string
			Licenses                  []any
		}
	}
	require.NoError(t, json.Unmarshal([]byte(notices.SBOM), &bill))
	require.Equal(t, "CycloneDX", bill.BOMFormat)
	compared, kinds := 0, make(map[string]int)
	for _, c := range bill.Components {
		require.Len(t, c.Licenses, 1, c.Name)
		require.Contains(t, notices.Text, c.Name)
		kinds[c.Type]++
		if c.PURL == "" {
			continue
		}
		require.Equal(t, required[c.Name], c.Version, "%s: run go generate ./internal/notices", c.Name)
		compared++
	}
	require.Greater(t, compared, 50)
	require.Equal(t, 10, kinds["data"])
	for _, part := range []string{"github.com/duckdb/duckdb-go-bindings", "jemalloc (inside of DuckDB)", "CC-CEDICT", "WordNet", "Apache ECharts 6.1.0", "Go standard library", "Apache License"} {
		require.Contains(t, notices.Text, part)
	}
}

// TestNoticesAreThoseOfTheLabToo: dibrain-lab links no module that dibrain does not, so that
// one list is of both.
func TestNoticesAreThoseOfTheLabToo(t *testing.T) {
	t.Parallel()
	listed, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "github.com/dibrain/dibrain/cmd/dibrain-lab").Output()
	require.NoError(t, err)
	modules := strings.Fields(string(listed))
	require.NotEmpty(t, modules)
	for _, m := range modules {
		require.Contains(t, notices.SBOM, `"name": "`+m+`"`, "list the modules of cmd/dibrain-lab in make, too")
	}
}
