package tools_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/router/tools"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// TestTableOfTools holds the whole table: what each tool is called, who answers, what it
// ends, and the schema of its arguments as a model sees it.
func TestTableOfTools(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, d := range set(t).All() {
		schema, err := d.Arguments.Schema(t.Context())
		require.NoError(t, err)
		raw, err := json.MarshalIndent(schema, "", " ")
		require.NoError(t, err)
		fmt.Fprintf(&b, "== %s of %s (direct %t, unbound %t, ends %t)\n%s\n%s\n", d.Name, d.Agent, d.Direct, d.Unbound, d.Ends, d.Description, raw)
	}
	const path = "testdata/tools.txt"
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o750))
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update and read what it wrote")
	require.Equal(t, string(want), b.String())
}

// TestArgumentsHoldTheirSchema: of every argument of every tool, what the schema allows
// passes up to its bound, and one more, another type, another word of a choice or nothing
// where something is needed does not; the problem names the argument.
func TestArgumentsHoldTheirSchema(t *testing.T) {
	t.Parallel()
	bounded := map[string]int{}
	for _, d := range set(t).All() {
		schema, err := d.Arguments.Schema(t.Context())
		require.NoError(t, err)
		whole := map[string]any{}
		for _, name := range schema["required"].([]any) {
			whole[name.(string)] = "x"
		}
		with := func(name string, value any) error {
			args := map[string]any{name: value}
			for other, v := range whole {
				if other != name {
					args[other] = v
				}
			}
			raw, err := json.Marshal(args)
			require.NoError(t, err)
			_, err = d.Arguments.Parse(t.Context(), d.Name, raw)
			return err
		}
		refused := func(name string, value any, why string) {
			var wrong *tools.ArgumentError
			require.ErrorAs(t, with(name, value), &wrong, "%s.%s: %s", d.Name, name, why)
			require.Equal(t, d.Name, wrong.Tool)
			require.Contains(t, wrong.Error(), "arguments of "+d.Name+": ")
			require.Contains(t, wrong.Error(), name, why)
		}
		for name, raw := range schema["properties"].(map[string]any) {
			field := raw.(map[string]any)
			list := field["type"] == "array"
			text, value := field, func(s string) any { return s }
			if list {
				text, value = field["items"].(map[string]any), func(s string) any { return []string{s} }
			}
			require.Equal(t, "string", text["type"], "%s.%s", d.Name, name)
			refused(name, 7, "no text")
			refused(name, map[string]any{}, "no text")
			if most, is := text["maxLength"].(float64); is {
				bounded["length"]++
				require.NoError(t, with(name, value(strings.Repeat("x", int(most)))), "%s.%s", d.Name, name)
				refused(name, value(strings.Repeat("x", int(most)+1)), "too long")
			} else if text["enum"] == nil {
				require.NoError(t, with(name, value(strings.Repeat("x", 1<<20))), "%s.%s has no bound", d.Name, name)
			}
			if most, is := field["maxItems"].(float64); is {
				bounded["items"]++
				require.NoError(t, with(name, make([]string, int(most))), "%s.%s", d.Name, name)
				refused(name, make([]string, int(most)+1), "too many")
			}
			if choices, is := text["enum"].([]any); is {
				bounded["choices"]++
				for _, c := range choices {
					require.NoError(t, with(name, value(c.(string))), "%s.%s", d.Name, name)
				}
				refused(name, value(choices[0].(string)+"x"), "no choice")
				require.NoError(t, with(name, value("")), "%s.%s: none is chosen", d.Name, name)
			}
			if _, needed := whole[name]; needed {
				refused(name, "", "it is needed")
			}
		}
		refusedRaw := func(raw, want string) {
			var wrong *tools.ArgumentError
			_, err := d.Arguments.Parse(t.Context(), d.Name, []byte(raw))
			require.ErrorAs(t, err, &wrong, "%s: %s", d.Name, raw)
			require.Contains(t, wrong.Error(), want)
		}
		refusedRaw(`{"no_such_argument": "x"}`, "no_such_argument")
		refusedRaw(``, "not the JSON")
		refusedRaw(`[]`, "not the JSON")
		raw, err := json.Marshal(whole)
		require.NoError(t, err)
		refusedRaw(string(raw)+` true`, "one JSON object")
	}
	require.Greater(t, bounded["length"], 10)
	require.Positive(t, bounded["items"])
	require.Greater(t, bounded["choices"], 5)
}

// TestWhatIsTheRoutersOwn: arguments that a model is not offered are read all the same.
func TestWhatIsTheRoutersOwn(t *testing.T) {
	t.Parallel()
	for tool, question := range map[string]string{tools.GenerateSQL: "user_question", tools.ExplainChange: "user_question"} {
		d, ok := tools.Own(tool)
		require.True(t, ok)
		schema, err := d.Arguments.Schema(t.Context())
		require.NoError(t, err)
		offered := schema["properties"].(map[string]any)
		for _, own := range []string{"previous_tool_call_id", "follow_up"} {
			require.NotContains(t, offered, own, tool)
			_, err := d.Arguments.Parse(t.Context(), tool, []byte(`{"`+question+`": "q", "`+own+`": "x"}`))
			require.NoError(t, err, "%s.%s", tool, own)
		}
	}
}
