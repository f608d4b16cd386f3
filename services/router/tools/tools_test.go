package tools_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/router/tools"
)

func set(t *testing.T, further ...tools.Definition) *tools.Set {
	t.Helper()
	s, err := tools.New(further...)
	require.NoError(t, err)
	return s
}

func TestNamesAreUnique(t *testing.T) {
	t.Parallel()
	_, err := tools.New(tools.Definition{Name: tools.Execute})
	require.ErrorContains(t, err, tools.Execute)
	_, err = tools.New(tools.Definition{Name: "other", Agent: "Logify Agent", Direct: true})
	require.ErrorContains(t, err, "Logify Agent")
	_, known := set(t, tools.Definition{Name: "other", Agent: "Other"}).ByName("other")
	require.True(t, known)
}

func TestEveryToolHasASchemaThatItsArgumentsPass(t *testing.T) {
	t.Parallel()
	for _, d := range set(t).All() {
		schema, err := d.Arguments.Schema(t.Context())
		require.NoError(t, err, d.Name)
		fields := schema["properties"].(map[string]any)
		require.NotEmpty(t, fields, d.Name)
		args := map[string]any{}
		for _, name := range schema["required"].([]any) {
			args[name.(string)] = "x"
		}
		raw, err := json.Marshal(args)
		require.NoError(t, err)
		_, err = d.Arguments.Parse(t.Context(), d.Name, raw)
		require.NoError(t, err, d.Name)
		for name, f := range fields {
			require.NotEmpty(t, f.(map[string]any)["description"], "%s.%s", d.Name, name)
		}
	}
}

func TestBoundsComeFromTheContract(t *testing.T) {
	t.Parallel()
	d, ok := tools.Own(tools.DataDiscovery)
	require.True(t, ok)
	schema, err := d.Arguments.Schema(t.Context())
	require.NoError(t, err)
	fields := schema["properties"].(map[string]any)
	require.InDelta(t, 16384, fields["user_question"].(map[string]any)["maxLength"], 0)
	require.InDelta(t, 50, fields["selected_tables"].(map[string]any)["maxItems"], 0)
	require.Len(t, fields["final_intent"].(map[string]any)["enum"], len(tools.Intents()))
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	d, _ := tools.Own(tools.DataDiscovery)
	many, err := json.Marshal(map[string]any{"user_question": "q", "selected_tables": make([]string, 51)})
	require.NoError(t, err)
	for name, tc := range map[string]struct{ args, want string }{
		"not JSON": {`{"user_question":`, "not the JSON"},
		"type":     {`{"user_question":7}`, "not the JSON"},
		"unknown":  {`{"user_question":"q","tabels":[]}`, `unknown field "tabels"`},
		"missing":  {`{}`, "user_question is required"},
		"two":      {`{"user_question":"q"} {}`, "one JSON object"},
		"long":     {`{"user_question":"` + strings.Repeat("x", 16385) + `"}`, "longer than 16384 bytes"},
		"many":     {string(many), "at most 50"},
		"enum":     {`{"user_question":"q","final_intent":"win"}`, "final_intent must be one of data_discovery"},
	} {
		_, err := d.Arguments.Parse(t.Context(), d.Name, []byte(tc.args))
		var wrong *tools.ArgumentError
		require.ErrorAs(t, err, &wrong, name)
		require.ErrorContains(t, err, tc.want, name)
	}
}

// TestCharactersAreCounted: where the contract bounds characters, a text in Chinese may have
// as many of them as one in English, and no more.
func TestCharactersAreCounted(t *testing.T) {
	t.Parallel()
	d, ok := tools.Own(tools.DataSuiteExpert)
	require.True(t, ok)
	parse := func(n int) error {
		raw, err := json.Marshal(map[string]any{"user_question": "q", "product_name": strings.Repeat("字", n)})
		require.NoError(t, err)
		_, err = d.Arguments.Parse(t.Context(), d.Name, raw)
		return err
	}
	require.NoError(t, parse(128))
	require.ErrorContains(t, parse(129), "product_name is longer than 128 characters")
}

func TestDirectAgents(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"Data Discovery", "Fix SQL Agent", "Explain SQL Agent", "Data Suite Expert", "Logify Agent"}, set(t).DirectAgents())
	_, ok := set(t).ByDirectAgent("Chat BI Agent")
	require.False(t, ok)
	for _, agent := range set(t).DirectAgents() {
		d, ok := set(t).ByDirectAgent(agent)
		require.True(t, ok)
		require.Equal(t, agent, d.Agent)
		own, ok := tools.Direct(agent)
		require.True(t, ok)
		require.Equal(t, d.Name, own.Name)
	}
}

// TestWhatAModelIsOffered: each argument but those that are the router's own, which are read
// all the same; what is needed may not be empty, and nothing else may be there.
func TestWhatAModelIsOffered(t *testing.T) {
	t.Parallel()
	for tool, c := range map[string]struct{ offered, required, own []string }{
		tools.GenerateSQL:   {[]string{"final_intent", "related_table_source_tool_call_id", "related_tables_info", "user_question"}, []string{"user_question"}, []string{"previous_tool_call_id", "follow_up"}},
		tools.ExplainChange: {[]string{"user_question"}, []string{"user_question"}, []string{"previous_tool_call_id", "follow_up"}},
		tools.AskHuman:      {[]string{"options", "question"}, []string{"question"}, nil},
		tools.ExplainSQL:    {[]string{"sql", "sql_dialect", "tool_call_id"}, nil, nil},
	} {
		d, ok := tools.Own(tool)
		require.True(t, ok)
		schema, err := d.Arguments.Schema(t.Context())
		require.NoError(t, err)
		fields := schema["properties"].(map[string]any)
		require.ElementsMatch(t, c.offered, slices.Collect(maps.Keys(fields)), tool)
		require.Equal(t, false, schema["additionalProperties"])
		required := []string{}
		for _, name := range schema["required"].([]any) {
			required = append(required, name.(string))
			require.InDelta(t, 1, fields[name.(string)].(map[string]any)["minLength"], 0)
		}
		require.ElementsMatch(t, c.required, required, tool)
		args := map[string]any{}
		for _, name := range slices.Concat(c.required, c.own) {
			args[name] = "x"
		}
		raw, err := json.Marshal(args)
		require.NoError(t, err)
		_, err = d.Arguments.Parse(t.Context(), tool, raw)
		require.NoError(t, err, tool)
	}
	d, _ := tools.Own(tools.AskHuman)
	schema, err := d.Arguments.Schema(t.Context())
	require.NoError(t, err)
	options := schema["properties"].(map[string]any)["options"].(map[string]any)
	require.Equal(t, "array", options["type"])
	require.Equal(t, map[string]any{"type": "string"}, options["items"])
	_, ok := tools.Own("nothing")
	require.False(t, ok)
	_, ok = tools.Direct("nobody")
	require.False(t, ok)
}

// TestToolsAreNotShared: whoever changes what All gave changes nothing for others.
func TestToolsAreNotShared(t *testing.T) {
	t.Parallel()
	s := set(t)
	s.All()[0].Name = "changed"
	require.Equal(t, tools.AskHuman, s.All()[0].Name)
}
