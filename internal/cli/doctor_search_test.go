package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/retrievaltest"
)

// doctor asks the search servers that are configured, and says which does not answer.
func TestDoctorAsksSearchServers(t *testing.T) {
	t.Parallel()
	e := retrievaltest.NewElasticsearch(t)
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `
findata:
  search:
    lexical: elasticsearch
    elasticsearch: {addresses: [%q]}
    embedder: endpoint
    endpoint: {base_url: "http://127.0.0.1:1/v1", model: m, dim: 3, attempts: 1}
`, e.URL), 0o600))
	r := execute(t, nil, "doctor", "--config", file)
	require.Contains(t, r.out, "Elasticsearch answers")
	require.Contains(t, r.out, "the endpoint of embeddings: ")
	require.Equal(t, exitFailure, r.code)
	require.Contains(t, execute(t, nil, "doctor").out, "in the process's own memory")
}
