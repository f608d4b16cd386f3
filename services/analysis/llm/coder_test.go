package llm_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/pkg/sandbox"
	"github.com/dibrain/dibrain/services/analysis/llm"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// TestAModelWritesAProgram: it is told names and types of columns and what went wrong, and
// its program is taken out of a fence; an empty one is asked for again.
func TestAModelWritesAProgram(t *testing.T) {
	t.Parallel()
	server := llmtest.Script(t, llmtest.Answer{Text: `{"program": " "}`}, llmtest.Answer{Text: `{"program": "` + "```python\\nprint(1)\\n```" + `"}`})
	model, err := chat.New(chat.Config{BaseURL: server.URL, Model: "m"}, chat.Deps{})
	require.NoError(t, err)
	c, err := llm.New(model, budget.Limits{}, func(context.Context) (sandbox.Interpreter, error) {
		return sandbox.Interpreter{Version: "3.11.2", Packages: map[string]string{"numpy": "2.1.0"}}, nil
	})
	require.NoError(t, err)
	inputs := []workflow.Input{{File: "/in/input1.csv", Title: "s1: Visits", Columns: []workflow.Column{{Name: "visits", Type: "bigint"}, {Name: "rate", Type: "double", Unit: "%"}}, Rows: 7}}
	code, err := c.Code(t.Context(), lang.English, "correlate visits and rate", inputs, "print(0)", "KeyError: 'x'")
	require.NoError(t, err)
	require.Equal(t, "print(1)", code)
	require.Len(t, server.Requests(), 2)
	told := fmt.Sprint(server.Requests()[0].Body)
	for _, part := range []string{"/in/input1.csv", "s1: Visits", "7 rows", "visits bigint, rate double in %", "Python 3.11.2 with numpy 2.1.0", "correlate visits and rate", "print(0)", "KeyError: 'x'"} {
		require.Contains(t, told, part)
	}
	require.NotContains(t, told, ".parquet", "it has nothing that reads it")

	server = llmtest.Script(t, llmtest.Answer{Text: `{"program": "print(1)"}`})
	model, err = chat.New(chat.Config{BaseURL: server.URL, Model: "m"}, chat.Deps{})
	require.NoError(t, err)
	c, err = llm.New(model, budget.Limits{}, func(context.Context) (sandbox.Interpreter, error) {
		return sandbox.Interpreter{Version: "3.11.2", Packages: map[string]string{"pandas": "3.0", "pyarrow": "21.0.0"}}, nil
	})
	require.NoError(t, err)
	_, err = c.Code(t.Context(), lang.English, "correlate visits and rate", inputs, "", "")
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(server.Requests()[0].Body), "/in/inputN.parquet")
}
