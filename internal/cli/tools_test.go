package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestToolsAreListed: with what they do, and as the function schemas that a model is given.
func TestToolsAreListed(t *testing.T) {
	t.Parallel()
	env := []string{"DIBRAIN_DATA_DIR=" + t.TempDir()}
	got := execute(t, env, "tools")
	require.Zero(t, got.code, got.err)
	require.Regexp(t, `(?m)^data_discovery +yes +\S`, got.out)
	require.Regexp(t, `(?m)^execute_sql_and_analyze_result +yes +\S`, got.out)

	got = execute(t, env, "tools", "--json")
	require.Zero(t, got.code, got.err)
	var listed struct {
		Tools []struct {
			Type     string
			Function struct {
				Name, Description string
				Parameters        struct {
					Type       string
					Properties map[string]any
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &listed))
	names := map[string]bool{}
	for _, tool := range listed.Tools {
		names[tool.Function.Name] = true
		require.Equal(t, "function", tool.Type)
		require.NotEmpty(t, tool.Function.Description)
		require.Equal(t, "object", tool.Function.Parameters.Type, tool.Function.Name)
		require.NotEmpty(t, tool.Function.Parameters.Properties, tool.Function.Name)
	}
	require.True(t, names["generate_sql"] && names["fix_sql"], "%v", names)
}
