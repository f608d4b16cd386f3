package llm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
)

type verdict struct {
	Outcome string   `json:"outcome" enum:"yes|no" doc:"whether it is so"`
	Names   []string `json:"names" max:"2" optional:"true"`
}

func TestAskReadsWhatModelsWrite(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"plain":          `{"outcome":"yes","names":["a"]}`,
		"fenced":         "Sure! Here it is:\n```json\n{\"outcome\": \"yes\", \"names\": [\"a\"]}\n```\nAnything else?",
		"thinking aloud": `<think>{"outcome":"no"} or {yes}?</think> {"outcome":"yes","names":["a"]}`,
		"braces before":  `The set {a, b} means {"outcome":"yes","names":["a"],"why":"because"}`,
	} {
		s := llmtest.Script(t, llmtest.Answer{Text: text})
		m, _ := client(t, s, nil)
		r := hello()
		r.Prompt = "test.verdict@2"
		got, err := llm.Ask[verdict](t.Context(), m, r, nil)
		require.NoError(t, err, name)
		require.Equal(t, verdict{Outcome: "yes", Names: []string{"a"}}, got, name)
		sent := s.Requests()[0].Body
		format := sent["response_format"].(map[string]any)
		require.Equal(t, "json_schema", format["type"])
		require.Equal(t, "test_verdict", format["json_schema"].(map[string]any)["name"])
		system := sent["messages"].([]any)[0].(map[string]any)["content"].(string)
		require.Contains(t, system, `"outcome": "yes" | "no",  // whether it is so`)
	}
}

func TestAskShowsTheMistakeOnce(t *testing.T) {
	t.Parallel()
	check := func(v *verdict) []string {
		if len(v.Names) == 0 {
			return []string{"names has to have one"}
		}
		return nil
	}
	for name, tc := range map[string]struct {
		first llmtest.Answer
		told  string
	}{
		"no JSON":     {llmtest.Answer{Text: "I do not know"}, "no JSON object"},
		"wrong value": {llmtest.Answer{Text: `{"outcome":"maybe"}`}, `outcome is "maybe" and must be one of yes, no`},
		"missing":     {llmtest.Answer{Text: `{"names":[]}`}, "outcome is missing"},
		"too many":    {llmtest.Answer{Text: `{"outcome":"no","names":["1","2","3"]}`}, "names has 3 entries, at most 2"},
		"wrong type":  {llmtest.Answer{Text: `{"outcome":["no"]}`}, "outcome must be of type string"},
		"checked":     {llmtest.Answer{Text: `{"outcome":"no"}`}, "names has to have one"},
		"cut off":     {llmtest.Answer{Text: `{"outcome":"no","names":["x"]}`, Finish: "length"}, "cut off"},
	} {
		good := llmtest.Answer{Text: `{"outcome":"no","names":["x"]}`}
		s := llmtest.Script(t, tc.first, good)
		m, _ := client(t, s, func(c *llm.Config, _ *llm.Deps) { c.ReasoningModel = "large" })
		got, err := llm.Ask(t.Context(), m, hello(), check)
		require.NoError(t, err, name)
		require.Equal(t, []string{"x"}, got.Names)
		messages := s.Requests()[1].Body["messages"].([]any)
		require.Len(t, messages, 4)
		require.Equal(t, "large", s.Requests()[1].Body["model"], "harder questions go to the abler model")
		require.Contains(t, messages[3].(map[string]any)["content"], tc.told, name)

		s = llmtest.Script(t, tc.first, tc.first, good)
		m, _ = client(t, s, nil)
		_, err = llm.Ask(t.Context(), m, hello(), check)
		require.Equal(t, llm.ReasonMalformed, fault.ReasonOf(err), name)
		require.Len(t, s.Requests(), 2)
	}
}

func TestEstimateIsNearAndRatherHigh(t *testing.T) {
	t.Parallel()
	// Counts are those of a common vocabulary of 100,000 entries.
	for text, counted := range map[string]int{
		"":                               0,
		"Which tables hold daily sales?": 6,
		"SELECT grass_date, sum(gmv) AS gmv FROM sg.mp_order.dws_order_gmv_1d GROUP BY 1": 30,
		"上个月新加坡的销售额是多少？":                                                                  15,
		"1234567": 3,
	} {
		got := llm.EstimateTokens(text)
		require.GreaterOrEqual(t, got, counted*9/10, text)
		require.LessOrEqual(t, got, counted*8/5+2, text)
	}
}

func TestTrimKeepsWhatMatters(t *testing.T) {
	t.Parallel()
	say := func(s llm.Speaker, words int) llm.Message {
		return llm.Message{Speaker: s, Text: strings.Repeat("word ", words)}
	}
	call := llm.Message{Speaker: llm.Assistant, Calls: []llm.ToolCall{{ID: "c1", Name: "f", Arguments: "{}"}}}
	reply := say(llm.ToolReply, 10)
	reply.CallID = "c1"
	messages := []llm.Message{say(llm.System, 10), say(llm.User, 10), call, reply, say(llm.Assistant, 10), say(llm.User, 10)}

	kept, dropped, err := llm.Trim(messages, 1000)
	require.NoError(t, err)
	require.Zero(t, dropped)
	require.Equal(t, messages, kept)

	kept, dropped, err = llm.Trim(messages, 75) // without the first question
	require.NoError(t, err)
	require.Equal(t, 1, dropped)
	require.Equal(t, call, kept[1])

	kept, dropped, err = llm.Trim(messages, 57) // the call goes, and its reply with it
	require.NoError(t, err)
	require.Equal(t, 3, dropped)
	require.Equal(t, []llm.Message{messages[0], messages[4], messages[5]}, kept)

	_, _, err = llm.Trim(messages, 20)
	require.Equal(t, llm.ReasonTooLong, fault.ReasonOf(err))

	many := []llm.Message{say(llm.System, 5)}
	for i := range 10_000 {
		many = append(many, llm.Message{Speaker: llm.User, Text: fmt.Sprint("question ", i)})
	}
	kept, _, err = llm.Trim(many, 100)
	require.NoError(t, err)
	require.Equal(t, many[len(many)-1], kept[len(kept)-1])
	require.Less(t, len(kept), 20)
}

type told struct {
	Say   string   `json:"say"`
	Parts []string `json:"parts"`
	Deep  []struct {
		Why string `json:"why"`
	} `json:"deep"`
	SQL  string `json:"sql" verbatim:"true"`
	Mode string `json:"mode" enum:"<a>|<b>"`
}

// TestTextsOfAnAnswerAreFitToBeShown: all of them, but for those that are looked up
// or run; and so is the text of an answer that is no form.
func TestTextsOfAnAnswerAreFitToBeShown(t *testing.T) {
	t.Parallel()
	const hostile, shown = "![x](https://evil.example/?q=1) <img src=x>\u202e\x1b[2J [a](https://b.example)", "x (https://evil.example/?q=1) ‹img src=x> a (https://b.example)"
	raw, err := json.Marshal(map[string]any{
		"say": hostile, "parts": []string{hostile}, "deep": []map[string]string{{"why": hostile}}, "sql": "SELECT x<y FROM t [1](2)", "mode": "<b>",
	})
	require.NoError(t, err)
	s := llmtest.Script(t, llmtest.Answer{Text: string(raw)}, llmtest.Answer{Text: hostile})
	m, _ := client(t, s, nil)
	got, err := llm.Ask[told](t.Context(), m, hello(), nil)
	require.NoError(t, err)
	require.Equal(t, shown, got.Say)
	require.Equal(t, []string{shown}, got.Parts)
	require.Equal(t, shown, got.Deep[0].Why)
	require.Equal(t, "SELECT x<y FROM t [1](2)", got.SQL)
	require.Equal(t, "<b>", got.Mode)
	answer, err := m.Chat(t.Context(), hello())
	require.NoError(t, err)
	require.Equal(t, shown, answer.Prose())
}

// rescued is an answer that takes any text with a word in it.
type rescued struct {
	Word string `json:"word"`
}

func (r *rescued) FromText(text string) bool {
	_, after, ok := strings.Cut(text, "word:")
	r.Word = strings.TrimSpace(after)
	return ok
}

// TestAskSalvages: what is not of the form may still hold the answer, unless it was cut off.
func TestAskSalvages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first llmtest.Answer
		calls int
	}{
		"no JSON":         {llmtest.Answer{Text: "<think>word: no</think> word: yes"}, 1},
		"another form":    {llmtest.Answer{Text: `{"answer": 1} word: yes`}, 1},
		"nothing in it":   {llmtest.Answer{Text: "I do not know"}, 2},
		"cut off":         {llmtest.Answer{Text: "word: maybe", Finish: "length"}, 2},
		"the form itself": {llmtest.Answer{Text: `{"word": "yes"} word: no`}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.Script(t, c.first, llmtest.Answer{Text: `{"word": "yes"}`})
			m, err := llm.New(llm.Config{BaseURL: s.URL, Model: "m", Attempts: 1}, llm.Deps{})
			require.NoError(t, err)
			got, err := llm.Ask[rescued](t.Context(), m, llm.Request{Prompt: "x@1", Messages: []llm.Message{{Speaker: llm.User, Text: "?"}}}, nil)
			require.NoError(t, err)
			require.Equal(t, "yes", got.Word)
			require.Len(t, s.Requests(), c.calls)
		})
	}
}
