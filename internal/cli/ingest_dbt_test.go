package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestADbtProjectBesideItsData: its descriptions and keys are shown, its metrics are a
// draft of tables as the source has them, which is in force when it is applied.
func TestADbtProjectBesideItsData(t *testing.T) {
	t.Parallel()
	dir, env := t.TempDir(), []string{"DIBRAIN_DATA_DIR=" + t.TempDir()}
	for name, text := range map[string]string{
		"data/stays.csv":  "stay_no,berth,day,fee\n1,B1,2024-01-02,100\n2,B2,2024-01-03,50\n3,B1,2024-02-01,70\n",
		"data/berths.csv": "code,metres\nB1,120\nB2,80\n",
		"target/manifest.json": `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json"}, "sources": {}, "nodes": {
 "model.h.stays": {"resource_type": "model", "package_name": "h", "database": "dwh", "schema": "marts", "name": "stays", "description": "A ship's stay a row.", "columns": {"berth": {"name": "berth", "description": "where it lies"}}},
 "model.h.berths": {"resource_type": "model", "package_name": "h", "database": "dwh", "schema": "marts", "name": "berths", "columns": {"code": {"name": "code"}}},
 "test.h.u": {"resource_type": "test", "package_name": "h", "attached_node": "model.h.berths", "column_name": "code", "test_metadata": {"name": "unique", "kwargs": {}}},
 "test.h.r": {"resource_type": "test", "package_name": "h", "attached_node": "model.h.stays", "column_name": "berth", "test_metadata": {"name": "relationships", "kwargs": {"to": "ref('berths')", "field": "code"}}}}}`,
		"target/semantic_manifest.json": `{"semantic_models": [
 {"name": "stays", "node_relation": {"alias": "stays", "schema_name": "marts"}, "defaults": {"agg_time_dimension": "day"}, "primary_entity": "stay",
  "entities": [{"name": "berth", "type": "foreign", "expr": "berth"}], "measures": [{"name": "fees", "agg": "sum", "expr": "fee"}],
  "dimensions": [{"name": "day", "type": "time", "type_params": {"time_granularity": "day"}}]},
 {"name": "fines", "node_relation": {"alias": "fines", "schema_name": "marts"}, "primary_entity": "fine", "entities": [], "measures": [{"name": "fined", "agg": "sum", "expr": "amount"}], "dimensions": []}],
 "metrics": [{"name": "harbour_fees", "label": "Harbour fees", "type": "simple", "type_params": {"measure": {"name": "fees"}}},
  {"name": "fined", "type": "simple", "type_params": {"measure": {"name": "fined"}}}]}`,
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	ingest := []string{"ingest", "csv", filepath.Join(dir, "data"), "--name", "harbour", "--dbt", filepath.Join(dir, "target")}
	got := execute(t, env, ingest...)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "of the dbt project, 0 mistakes; they are not in force")
	require.Contains(t, got.err, "left out: metric fined: the source has no table marts.fines")
	shown := execute(t, env, "catalog", "show", "main.stays", "--source", "harbour")
	require.Contains(t, shown.out, "A ship's stay a row.")
	require.Contains(t, shown.out, "where it lies")
	require.Contains(t, shown.out, "berth → harbour.main.berths (code)")
	require.Zero(t, execute(t, env, "semantic", "apply", "--source", "harbour").code)
	require.Contains(t, execute(t, env, "semantic", "show", "--source", "harbour", "harbour_fees").out, "SUM(fee) of table main.stays")

	again := execute(t, env, ingest...)
	require.Zero(t, again.code, again.err)
	require.Contains(t, again.out, "are not written again")
	wrong := execute(t, env, "ingest", "csv", filepath.Join(dir, "data"), "--name", "other", "--dbt", filepath.Join(dir, "data"))
	require.Equal(t, 2, wrong.code)
	require.Contains(t, wrong.err, "there is no manifest.json")
}
